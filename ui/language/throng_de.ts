<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Playing</source>
        <translation>Wiedergabe</translation>
    </message>
    <message>
        <source>Loop on</source>
        <translation>Wiederholung an</translation>
    </message>
    <message>
        <source>Loop off</source>
        <translation>Wiederholung aus</translation>
    </message>
    <message>
        <source>Raw detections</source>
        <translation>Rohdetektionen</translation>
    </message>
    <message>
        <source>Kept detections</source>
        <translation>Behaltene Detektionen</translation>
    </message>
    <message>
        <source>Scores and hits</source>
        <translation>Bewertung und Treffer</translation>
    </message>
    <message>
        <source>Eyes, nose and mouth</source>
        <translation>Augen, Nase und Mund</translation>
    </message>
    <message>
        <source>Detected faces are hidden</source>
        <translation>Gefundene Gesichter sind verborgen</translation>
    </message>
    <message>
        <source>Faces are visible</source>
        <translation>Gesichter sind sichtbar</translation>
    </message>
    <message>
        <source>Cascade heat map on</source>
        <translation>Stufenkarte an</translation>
    </message>
    <message>
        <source>Cascade heat map off</source>
        <translation>Stufenkarte aus</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Aufnahme</translation>
    </message>
    <message>
        <source>%1 on</source>
        <translation>%1 an</translation>
    </message>
    <message>
        <source>%1 off</source>
        <translation>%1 aus</translation>
    </message>
    <message>
        <source>Repeating %1 to %2</source>
        <translation>Wiederholt %1 bis %2</translation>
    </message>
    <message>
        <source>Repeat from %1: press again at the end</source>
        <translation>Wiederholen ab %1: am Ende noch einmal drücken</translation>
    </message>
    <message>
        <source>Repeat off</source>
        <translation>Wiederholung aus</translation>
    </message>
    <message>
        <source>Speed %1×</source>
        <translation>Tempo %1×</translation>
    </message>
    <message>
        <source>GPU clock: %1</source>
        <translation>GPU-Takt: %1</translation>
    </message>
    <message>
        <source>There is no next file</source>
        <translation>Es gibt keine nächste Datei</translation>
    </message>
    <message>
        <source>There is no previous file</source>
        <translation>Es gibt keine vorige Datei</translation>
    </message>
</context>
<context>
    <name>Badges</name>
    <message>
        <source>REPLAY</source>
        <translation>RÜCKBLICK</translation>
    </message>
    <message>
        <source>LIVE</source>
        <translation>LIVE</translation>
    </message>
    <message>
        <source>RECONNECTING</source>
        <translation>VERBINDET NEU</translation>
    </message>
    <message>
        <source>NO SIGNAL</source>
        <translation>KEIN SIGNAL</translation>
    </message>
    <message>
        <source>REC</source>
        <translation>AUFNAHME</translation>
    </message>
    <message>
        <source>HIDDEN</source>
        <translation>VERBORGEN</translation>
    </message>
</context>
<context>
    <name>BoardPanel</name>
    <message>
        <source>No sensors available</source>
        <translation>Keine Sensoren verfügbar</translation>
    </message>
    <message>
        <source>Latency vs. clock</source>
        <translation>Latenz und Takt</translation>
    </message>
    <message>
        <source>clock profile %1 of %2</source>
        <translation>Taktprofil %1 von %2</translation>
    </message>
    <message>
        <source>measures each clock profile</source>
        <translation>misst jedes Taktprofil</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Messreihe</translation>
    </message>
    <message>
        <source>Cancel the sweep and restore the clock</source>
        <translation>Messreihe abbrechen und den Takt wiederherstellen</translation>
    </message>
    <message>
        <source>Measure the latency at each clock profile (%1)</source>
        <translation>Die Latenz bei jedem Taktprofil messen (%1)</translation>
    </message>
    <message>
        <source>total</source>
        <translation>gesamt</translation>
    </message>
    <message>
        <source>map</source>
        <translation>map</translation>
    </message>
    <message>
        <source>reduce</source>
        <translation>reduce</translation>
    </message>
    <message>
        <source>ms vs. MHz</source>
        <translation>ms über MHz</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>Takt</translation>
    </message>
</context>
<context>
    <name>ClockSelector</name>
    <message>
        <source>GPU clock</source>
        <translation>GPU-Takt</translation>
    </message>
    <message>
        <source>applying …</source>
        <translation>wird eingestellt …</translation>
    </message>
    <message>
        <source>requested %1</source>
        <translation>angefordert: %1</translation>
    </message>
</context>
<context>
    <name>CompareOverlay</name>
    <message>
        <source>%1 %2 · %3 ms</source>
        <translation>%1 %2 · %3 ms</translation>
    </message>
    <message>
        <source>%1, %2 ≥ %3</source>
        <translation>%1, %2 ≥ %3</translation>
    </message>
    <message>
        <source>, %1 hits</source>
        <translation>, %1 Treffer</translation>
    </message>
    <message>
        <source>, from %1 px</source>
        <translation>, ab %1 px</translation>
    </message>
    <message>
        <source>alone %1 ms</source>
        <translation>allein %1 ms</translation>
    </message>
    <message>
        <source>Computing …</source>
        <translation>Wird berechnet …</translation>
    </message>
    <message>
        <source>too slow: %1 of %2 frames shown</source>
        <translation>zu langsam: %1 von %2 Bildern gezeigt</translation>
    </message>
    <message>
        <source>Divider between both settings</source>
        <translation>Trennlinie zwischen beiden Einstellungen</translation>
    </message>
</context>
<context>
    <name>ComparePanel</name>
    <message>
        <source>Side by side</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Close (V)</source>
        <translation>Schließen (V)</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Settings of the left side; the window keeps them</source>
        <translation>Einstellungen der linken Seite; sie bleiben bestehen</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>Settings of the right side</source>
        <translation>Einstellungen der rechten Seite</translation>
    </message>
    <message>
        <source>Set right to the same as left</source>
        <translation>Rechts wie links einstellen</translation>
    </message>
</context>
<context>
    <name>CountsOverlay</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: %2 in, %3 out</source>
        <translation>%1: %2 hinein, %3 hinaus</translation>
    </message>
    <message>
        <source>Click the start of the line</source>
        <translation>Anfang der Linie anklicken</translation>
    </message>
    <message>
        <source>Click the end of the line</source>
        <translation>Ende der Linie anklicken</translation>
    </message>
    <message>
        <source>Click the corners of the zone</source>
        <translation>Ecken der Zone anklicken</translation>
    </message>
    <message>
        <source>Next corner, or the first one again</source>
        <translation>Nächste Ecke, oder noch einmal die erste</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Complete the zone (Enter)</source>
        <translation>Zone abschließen (Eingabe)</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Remove the last point (Backspace)</source>
        <translation>Letzten Punkt entfernen (Rücktaste)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Stop drawing (Esc)</source>
        <translation>Zeichnen beenden (Esc)</translation>
    </message>
</context>
<context>
    <name>CountsPanel</name>
    <message>
        <source>people now</source>
        <translation>Personen jetzt</translation>
    </message>
    <message>
        <source>over time</source>
        <translation>insgesamt</translation>
    </message>
    <message>
        <source>Count again from zero</source>
        <translation>Wieder bei null beginnen</translation>
    </message>
    <message>
        <source>Change this zone</source>
        <translation>Diese Zone ändern</translation>
    </message>
    <message>
        <source>Change this line</source>
        <translation>Diese Linie ändern</translation>
    </message>
    <message>
        <source>%1 inside · %2 visits · %3</source>
        <translation>%1 darin · %2 Besuche · %3</translation>
    </message>
    <message>
        <source>%1 s each</source>
        <translation>je %1 s</translation>
    </message>
    <message>
        <source>%1 in · %2 out</source>
        <translation>%1 hinein · %2 hinaus</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Delete it (undo: Ctrl+Z)</source>
        <translation>Löschen (rückgängig: Strg+Z)</translation>
    </message>
    <message>
        <source>+ Line</source>
        <translation>+ Linie</translation>
    </message>
    <message>
        <source>Draw a line: people who cross it are counted, in both directions</source>
        <translation>Linie zeichnen: Wer sie überquert, wird gezählt, in beiden Richtungen</translation>
    </message>
    <message>
        <source>+ Zone</source>
        <translation>+ Zone</translation>
    </message>
    <message>
        <source>Draw a zone: people inside, visits and their duration</source>
        <translation>Zone zeichnen: Personen darin, Besuche und ihre Dauer</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo the last change (Ctrl+Z)</source>
        <translation>Letzte Änderung rückgängig machen (Strg+Z)</translation>
    </message>
    <message>
        <source>not saved yet</source>
        <translation>noch nicht gespeichert</translation>
    </message>
    <message>
        <source>%1: not saved</source>
        <translation>%1: nicht gespeichert</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Read %1 again</source>
        <translation>%1 neu lesen</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Save the lines and zones to a file for --count; changes are then saved at once</source>
        <translation>Linien und Zonen in eine Datei für --count speichern; Änderungen werden dann sofort gespeichert</translation>
    </message>
    <message>
        <source>Counting takes %1 ms per frame. People who return are counted again.</source>
        <translation>Das Zählen dauert %1 ms je Bild. Wer wiederkommt, zählt noch einmal.</translation>
    </message>
    <message>
        <source>Draw lines and zones over the image to count crossings and visits.</source>
        <translation>Linien und Zonen im Bild zählen Übertritte und Besuche.</translation>
    </message>
</context>
<context>
    <name>DesktopDialogs</name>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>DetectorPanel</name>
    <message>
        <source>Detector</source>
        <translation>Detektor</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>The file with the weights or stages of the detector</source>
        <translation>Die Datei mit den Gewichten oder Stufen des Detektors</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>Modelldatei öffnen</translation>
    </message>
    <message>
        <source>Minimum score</source>
        <translation>Mindestbewertung</translation>
    </message>
    <message>
        <source>Detections below this score are dropped: higher finds fewer faces, with fewer false ones</source>
        <translation>Detektionen mit kleinerer Bewertung entfallen: Höher findet weniger Gesichter und weniger falsche</translation>
    </message>
    <message>
        <source>%1 (of the model)</source>
        <translation>%1 (vom Modell)</translation>
    </message>
    <message>
        <source>of the model</source>
        <translation>vom Modell</translation>
    </message>
    <message>
        <source>Minimum size</source>
        <translation>Mindestgröße</translation>
    </message>
    <message>
        <source>Smallest face in pixels of the frame: larger is faster and misses small faces</source>
        <translation>Kleinstes Gesicht in Pixeln des Bildes: Größer ist schneller und übersieht kleine Gesichter</translation>
    </message>
    <message>
        <source>%1 px</source>
        <translation>%1 px</translation>
    </message>
    <message>
        <source>Maximum size</source>
        <translation>Höchstgröße</translation>
    </message>
    <message>
        <source>Largest face in pixels of the frame</source>
        <translation>Größtes Gesicht in Pixeln des Bildes</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>unbegrenzt</translation>
    </message>
    <message>
        <source>Scale factor</source>
        <translation>Skalierung</translation>
    </message>
    <message>
        <source>Factor between two sizes that are searched: larger is faster and misses faces in between</source>
        <translation>Faktor zwischen zwei gesuchten Größen: Größer ist schneller und übersieht Gesichter dazwischen</translation>
    </message>
    <message>
        <source>16-bit arithmetic</source>
        <translation>16-Bit-Arithmetik</translation>
    </message>
    <message>
        <source>Faster on most GPUs, slightly less accurate</source>
        <translation>Auf den meisten GPUs schneller, etwas weniger genau</translation>
    </message>
    <message>
        <source>Automatic: %1, to keep %2 frames/s</source>
        <translation>Automatisch: %1, um %2 Bilder/s zu halten</translation>
    </message>
</context>
<context>
    <name>DisplayPanel</name>
    <message>
        <source>Raw detections</source>
        <translation>Rohdetektionen</translation>
    </message>
    <message>
        <source>Kept detections</source>
        <translation>Behaltene Detektionen</translation>
    </message>
    <message>
        <source>Scores and hits</source>
        <translation>Bewertung und Treffer</translation>
    </message>
    <message>
        <source>Eyes, nose and mouth</source>
        <translation>Augen, Nase und Mund</translation>
    </message>
    <message>
        <source>Hide faces</source>
        <translation>Gesichter verbergen</translation>
    </message>
    <message>
        <source>Cascade heat map</source>
        <translation>Stufenkarte</translation>
    </message>
    <message>
        <source>Only detected faces are hidden.</source>
        <translation>Nur gefundene Gesichter werden verborgen.</translation>
    </message>
</context>
<context>
    <name>ErrorBanner</name>
    <message>
        <source>Retry</source>
        <translation>Nochmals</translation>
    </message>
    <message>
        <source>Open it again</source>
        <translation>Noch einmal öffnen</translation>
    </message>
    <message>
        <source>Dismiss (Esc)</source>
        <translation>Schließen (Esc)</translation>
    </message>
</context>
<context>
    <name>FileRow</name>
    <message>
        <source>%1 KB</source>
        <translation>%1 KB</translation>
    </message>
    <message>
        <source>%1 MB</source>
        <translation>%1 MB</translation>
    </message>
</context>
<context>
    <name>FileSheet</name>
    <message>
        <source>There is no folder %1</source>
        <translation>Es gibt keinen Ordner %1</translation>
    </message>
    <message>
        <source>There is no file %1</source>
        <translation>Es gibt keine Datei %1</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Hinauf</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Files and folders</source>
        <translation>Dateien und Ordner</translation>
    </message>
    <message>
        <source>This folder cannot be read</source>
        <translation>Dieser Ordner ist nicht lesbar</translation>
    </message>
    <message>
        <source>No folders here</source>
        <translation>Hier sind keine Ordner</translation>
    </message>
    <message>
        <source>No matching files here</source>
        <translation>Hier sind keine passenden Dateien</translation>
    </message>
    <message>
        <source>%1 already exists. Its contents will be replaced.</source>
        <translation>%1 gibt es schon. Der Inhalt wird ersetzt.</translation>
    </message>
    <message>
        <source>Enter a file name.</source>
        <translation>Bitte einen Dateinamen eingeben.</translation>
    </message>
    <message>
        <source>Saves to %1</source>
        <translation>Speichert in %1</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Open %1 files</source>
        <translation>%1 Dateien öffnen</translation>
    </message>
    <message>
        <source>Open this folder</source>
        <translation>Diesen Ordner öffnen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
</context>
<context>
    <name>HeadlinePanel</name>
    <message>
        <source>found by %1</source>
        <translation>gefunden mit %1</translation>
    </message>
    <message>
        <source>from %1 raw detections</source>
        <translation>aus %1 Rohdetektionen</translation>
    </message>
    <message>
        <source>fps</source>
        <translation>fps</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>detection</source>
        <translation>Detektion</translation>
    </message>
    <message>
        <source>this frame</source>
        <translation>dieses Bild</translation>
    </message>
    <message>
        <source>to screen</source>
        <translation>bis Anzeige</translation>
    </message>
    <message>
        <source>dropped</source>
        <translation>verworfen</translation>
    </message>
    <message>
        <source>%1 detections exceeded the buffer capacity</source>
        <translation>%1 Detektionen passten nicht in den Puffer</translation>
    </message>
    <message>
        <source>memory %1 of %2 GiB in use</source>
        <translation>Speicher: %1 von %2 GiB belegt</translation>
    </message>
    <message>
        <source>boxes</source>
        <translation>Rahmen</translation>
    </message>
</context>
<context>
    <name>Message</name>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>Open videos and images</source>
        <translation>Videos und Bilder öffnen</translation>
    </message>
    <message>
        <source>Videos and images</source>
        <translation>Videos und Bilder</translation>
    </message>
    <message>
        <source>Open a folder of images</source>
        <translation>Ordner mit Bildern öffnen</translation>
    </message>
    <message>
        <source>Open a detector model</source>
        <translation>Modell eines Detektors öffnen</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Save the lines and zones</source>
        <translation>Linien und Zonen speichern</translation>
    </message>
</context>
<context>
    <name>MatrixPanel</name>
    <message>
        <source>%1 of %2 kept</source>
        <translation>%1 von %2 behalten</translation>
    </message>
    <message>
        <source> · rows %1 to %2</source>
        <translation> · Zeilen %1 bis %2</translation>
    </message>
    <message>
        <source>Suppression matrix, %1</source>
        <translation>Unterdrückungsmatrix, %1</translation>
    </message>
    <message>
        <source>Sweep over the rows: the reduction</source>
        <translation>Durchgang über die Zeilen: die Reduktion</translation>
    </message>
    <message>
        <source>By score</source>
        <translation>Bewertung</translation>
    </message>
    <message>
        <source>Rows and columns in order of falling score</source>
        <translation>Zeilen und Spalten nach fallender Bewertung</translation>
    </message>
    <message>
        <source>By cluster</source>
        <translation>Gruppen</translation>
    </message>
    <message>
        <source>Rows and columns grouped by the kept detection that suppresses them</source>
        <translation>Zeilen und Spalten in Gruppen: nach der behaltenen Detektion, die sie unterdrückt</translation>
    </message>
    <message>
        <source>Close (M)</source>
        <translation>Schließen (M)</translation>
    </message>
    <message>
        <source>Computing …</source>
        <translation>Wird berechnet …</translation>
    </message>
    <message>
        <source>No frames yet</source>
        <translation>Noch keine Bilder</translation>
    </message>
    <message>
        <source>No raw detections in this frame</source>
        <translation>Keine Rohdetektionen in diesem Bild</translation>
    </message>
    <message>
        <source>cost of this view: %1 ms per matrix, on the CPU</source>
        <translation>Diese Ansicht kostet %1 ms je Matrix (CPU)</translation>
    </message>
    <message>
        <source>A cell is lit if its column suppresses its row (map). A row without a lit cell is kept (reduce). In greedy, dim columns are suppressed themselves. Marked rows differ. The wheel, two fingers or + and − zoom.</source>
        <translation>Eine Zelle leuchtet, wenn ihre Spalte ihre Zeile unterdrückt (map). Eine Zeile ohne leuchtende Zelle bleibt (reduce). Bei der gierigen Regel sind matte Spalten selbst unterdrückt. Markierte Zeilen unterscheiden sich. Mausrad, zwei Finger oder + und − vergrößern.</translation>
    </message>
    <message>
        <source>Both rules</source>
        <translation>Beide Regeln</translation>
    </message>
    <message>
        <source>Greedy</source>
        <translation>Gierig</translation>
    </message>
    <message>
        <source>One-pass</source>
        <translation>Ein Durchgang</translation>
    </message>
    <message>
        <source>Show one-pass, greedy, or both</source>
        <translation>Ein Durchgang, gierig oder beide</translation>
    </message>
    <message>
        <source>following: %1</source>
        <translation>verfolgt: %1</translation>
    </message>
</context>
<context>
    <name>NetworkHint</name>
    <message>
        <source>A network is installed: it finds more faces</source>
        <translation>Ein Netz ist installiert: Es findet mehr Gesichter</translation>
    </message>
    <message>
        <source>A network finds more faces: %1</source>
        <translation>Ein Netz findet mehr Gesichter: %1</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Detect with the network</source>
        <translation>Mit dem Netz suchen</translation>
    </message>
    <message>
        <source>Do not show this again</source>
        <translation>Nicht mehr zeigen</translation>
    </message>
</context>
<context>
    <name>QShortcut</name>
    <message>
        <source>Ctrl</source>
        <translation>Strg</translation>
    </message>
    <message>
        <source>Shift</source>
        <translation>Umschalt</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Pos1</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
</context>
<context>
    <name>RacePanel</name>
    <message>
        <source>–</source>
        <translation>–</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source> · %1 times</source>
        <translation> · %1-fach</translation>
    </message>
    <message>
        <source>%1 % of a 33 ms frame</source>
        <translation>%1 % eines Bildes von 33 ms</translation>
    </message>
    <message>
        <source>Race</source>
        <translation>Rennen</translation>
    </message>
    <message>
        <source>Measuring …</source>
        <translation>Wird gemessen …</translation>
    </message>
    <message>
        <source>Again</source>
        <translation>Nochmals</translation>
    </message>
    <message>
        <source>Measure the frame on screen again</source>
        <translation>Das gezeigte Bild noch einmal messen</translation>
    </message>
    <message>
        <source>Close (X)</source>
        <translation>Schließen (X)</translation>
    </message>
    <message>
        <source>Times of the implementations</source>
        <translation>Zeiten der Implementierungen</translation>
    </message>
    <message>
        <source>Waiting for the frame …</source>
        <translation>Wartet auf das Bild …</translation>
    </message>
    <message>
        <source>Medians of repeated runs on the frame on screen. Playback is paused meanwhile.</source>
        <translation>Mediane wiederholter Läufe mit dem gezeigten Bild. Solange ist die Wiedergabe angehalten.</translation>
    </message>
    <message>
        <source>Suppression of %1 raw detections, any number of hits, no merging</source>
        <translation>Unterdrückung von %1 Rohdetektionen, ab einem Treffer, ohne Mittelung</translation>
    </message>
    <message>
        <source>Detection</source>
        <translation>Detektion</translation>
    </message>
</context>
<context>
    <name>ReplayBar</name>
    <message>
        <source>Milliseconds of every frame of the last 30 seconds</source>
        <translation>Millisekunden jedes Bildes der letzten 30 Sekunden</translation>
    </message>
    <message>
        <source>Recording begins with the next frame</source>
        <translation>Aufgezeichnet wird ab dem nächsten Bild</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
</context>
<context>
    <name>ReplayPanel</name>
    <message>
        <source>No image was stored of this frame</source>
        <translation>Dieses Bild wurde nicht gespeichert</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>last %1 s</source>
        <translation>letzte %1 s</translation>
    </message>
    <message>
        <source>last %1 s · %2 MB, %3 ms per frame on a thread of its own</source>
        <translation>letzte %1 s · %2 MB, %3 ms je Bild in einem eigenen Thread</translation>
    </message>
    <message>
        <source>One frame back in the last 30 seconds (,)</source>
        <translation>Ein Bild zurück in den letzten 30 Sekunden (,)</translation>
    </message>
    <message>
        <source>One frame forward in the last 30 seconds (.)</source>
        <translation>Ein Bild vor in den letzten 30 Sekunden (.)</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>Live</translation>
    </message>
    <message>
        <source>Back to the live image (Esc)</source>
        <translation>Zurück zum Livebild (Esc)</translation>
    </message>
    <message>
        <source>Close, and forget the last 30 seconds (I)</source>
        <translation>Schließen und die letzten 30 Sekunden vergessen (I)</translation>
    </message>
</context>
<context>
    <name>ReviewWindow</name>
    <message>
        <source>Review – Throng</source>
        <translation>Prüfung – Throng</translation>
    </message>
    <message>
        <source>Original, faces not hidden: on this screen only. No image of it is stored.</source>
        <translation>Original, Gesichter nicht verborgen: nur auf diesem Bildschirm. Davon wird kein Bild gespeichert.</translation>
    </message>
    <message>
        <source>%1 in the original</source>
        <translation>%1 im Original</translation>
    </message>
    <message>
        <source>%1 enlarged</source>
        <translation>%1 vergrößert</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Play the track</source>
        <translation>Spur abspielen</translation>
    </message>
    <message>
        <source>Play the track in a loop, or stop in its middle (Space)</source>
        <translation>Spur wiederholt abspielen, oder in ihrer Mitte anhalten (Leertaste)</translation>
    </message>
    <message>
        <source>%1 · %2 s</source>
        <translation>%1 · %2 s</translation>
    </message>
    <message>
        <source>Uncertain tracks</source>
        <translation>Unsichere Spuren</translation>
    </message>
    <message>
        <source>They are hidden. Keep a track visible only if it is not a face.</source>
        <translation>Sie sind verborgen. Nur was kein Gesicht ist, soll sichtbar bleiben.</translation>
    </message>
    <message>
        <source>Track %1, %2, %3</source>
        <translation>Spur %1, %2, %3</translation>
    </message>
    <message>
        <source>frame</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>certain</source>
        <translation>sicher</translation>
    </message>
    <message>
        <source>visible</source>
        <translation>sichtbar</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>verborgen</translation>
    </message>
    <message>
        <source>undecided</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>Hide (H)</source>
        <translation>Verbergen (H)</translation>
    </message>
    <message>
        <source>A face, or possibly one: it stays hidden</source>
        <translation>Ein Gesicht, oder vielleicht eines: Es bleibt verborgen</translation>
    </message>
    <message>
        <source>Keep visible (V)</source>
        <translation>Sichtbar (V)</translation>
    </message>
    <message>
        <source>Not a face: it is visible in the new file</source>
        <translation>Kein Gesicht: In der neuen Datei ist es sichtbar</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Write again (Ctrl+S)</source>
        <translation>Neu schreiben (Strg+S)</translation>
    </message>
    <message>
        <source>Stop writing; the previous file is kept</source>
        <translation>Nicht weiter schreiben; die bisherige Datei bleibt</translation>
    </message>
    <message>
        <source>Write %1 and its report with these decisions</source>
        <translation>%1 und den Bericht mit diesen Entscheidungen schreiben</translation>
    </message>
    <message>
        <source>The decisions are not saved. Close again to discard them.</source>
        <translation>Die Entscheidungen sind nicht gespeichert. Noch einmal schließen verwirft sie.</translation>
    </message>
    <message>
        <source>%1 of %2 still undecided</source>
        <translation>%1 von %2 noch offen</translation>
    </message>
    <message>
        <source>All reviewed; not saved yet</source>
        <translation>Alle geprüft, noch nicht gespeichert</translation>
    </message>
    <message>
        <source>All reviewed</source>
        <translation>Alle geprüft</translation>
    </message>
    <message>
        <source>Track %1 · %2 s</source>
        <translation>Spur %1 · %2 s</translation>
    </message>
</context>
<context>
    <name>Section</name>
    <message>
        <source>Collapse</source>
        <translation>Zuklappen</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>Aufklappen</translation>
    </message>
</context>
<context>
    <name>SeekBar</name>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source> · %1 found</source>
        <translation> · %1 gefunden</translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>Schließen (Esc)</translation>
    </message>
    <message>
        <source>Gestures</source>
        <translation>Gesten</translation>
    </message>
    <message>
        <source>Touch</source>
        <translation>Berührung</translation>
    </message>
</context>
<context>
    <name>SidePanel</name>
    <message>
        <source>Timing</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Optimizations</source>
        <translation>Optimierungen</translation>
    </message>
    <message>
        <source>Board</source>
        <translation>Board</translation>
    </message>
    <message>
        <source>People, lines and zones</source>
        <translation>Personen, Linien, Zonen</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Detector</source>
        <translation>Detektor</translation>
    </message>
    <message>
        <source>Suppression</source>
        <translation>Unterdrückung</translation>
    </message>
</context>
<context>
    <name>SourceMenu</name>
    <message>
        <source>Video or image…</source>
        <translation>Video oder Bild …</translation>
    </message>
    <message>
        <source>Folder of images…</source>
        <translation>Ordner mit Bildern …</translation>
    </message>
    <message>
        <source>Demo crowd</source>
        <translation>Demo-Publikum</translation>
    </message>
    <message>
        <source>rtsp://… or another source</source>
        <translation>rtsp://… oder andere Quelle</translation>
    </message>
    <message>
        <source>Open the address</source>
        <translation>Adresse öffnen</translation>
    </message>
    <message>
        <source>Cameras</source>
        <translation>Kameras</translation>
    </message>
    <message>
        <source>None found</source>
        <translation>Keine gefunden</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt geöffnet</translation>
    </message>
</context>
<context>
    <name>SpeedButton</name>
    <message>
        <source>Playback speed ([ and ])</source>
        <translation>Tempo der Wiedergabe ([ und ])</translation>
    </message>
</context>
<context>
    <name>StageBar</name>
    <message>
        <source>%1 times slower</source>
        <translation>dauert %1-mal so lang wie vorher</translation>
    </message>
    <message>
        <source>%1 times faster</source>
        <translation>%1-mal so schnell wie vorher</translation>
    </message>
</context>
<context>
    <name>StageMapOverlay</name>
    <message>
        <source>Cascade heat map</source>
        <translation>Stufenkarte</translation>
    </message>
    <message>
        <source>Stages passed</source>
        <translation>Stufen</translation>
    </message>
    <message>
        <source>Smaller windows only</source>
        <translation>Nur kleinere Fenster</translation>
    </message>
    <message>
        <source>Windows of all sizes</source>
        <translation>Fenster aller Größen</translation>
    </message>
    <message>
        <source>Windows of the smallest size only</source>
        <translation>Nur Fenster der kleinsten Größe</translation>
    </message>
    <message>
        <source>Larger windows only</source>
        <translation>Nur größere Fenster</translation>
    </message>
    <message>
        <source>Close (G)</source>
        <translation>Schließen (G)</translation>
    </message>
    <message>
        <source>Computing the map …</source>
        <translation>Karte wird berechnet …</translation>
    </message>
    <message>
        <source>%1 of %2 windows pass all</source>
        <translation>%1 von %2 Fenstern bestehen alle</translation>
    </message>
    <message>
        <source>Cost: %1 ms, on the CPU</source>
        <translation>Kosten: %1 ms, auf der CPU</translation>
    </message>
    <message>
        <source> · from %1 s ago</source>
        <translation> · vom Bild vor %1 s</translation>
    </message>
</context>
<context>
    <name>StandCaption</name>
    <message>
        <source>%1 faces so far; images are stored</source>
        <translation>Bisher %1 Gesichter; Bilder werden gespeichert</translation>
    </message>
    <message>
        <source>%1 faces so far, 0 images stored</source>
        <translation>Bisher %1 Gesichter, 0 Bilder gespeichert</translation>
    </message>
</context>
<context>
    <name>StandLayer</name>
    <message>
        <source>Hold to show faces</source>
        <translation>Halten, um Gesichter zu zeigen</translation>
    </message>
    <message>
        <source>Faces are hidden again when it is released (H)</source>
        <translation>Nach dem Loslassen sind die Gesichter wieder verborgen (H)</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>Choose a source, or drop a file here</source>
        <translation>Quelle wählen oder Datei hierher ziehen</translation>
    </message>
    <message>
        <source>Camera</source>
        <translation>Kamera</translation>
    </message>
    <message>
        <source>None found</source>
        <translation>Keine gefunden</translation>
    </message>
    <message>
        <source>%1 found</source>
        <translation>%1 gefunden</translation>
    </message>
    <message>
        <source>Open a camera of this machine or on the network</source>
        <translation>Kamera dieses Rechners oder im Netzwerk öffnen</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Video or image</source>
        <translation>Video oder Bild</translation>
    </message>
    <message>
        <source>Choose a video or an image</source>
        <translation>Video oder Bild wählen</translation>
    </message>
    <message>
        <source>Demo crowd</source>
        <translation>Demo-Publikum</translation>
    </message>
    <message>
        <source>Needs no file</source>
        <translation>Ohne Datei</translation>
    </message>
    <message>
        <source>Show a generated crowd of 60 faces</source>
        <translation>Ein gezeichnetes Publikum mit 60 Gesichtern zeigen</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt</translation>
    </message>
</context>
<context>
    <name>SuppressionPanel</name>
    <message>
        <source>Rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>Which of several overlapping detections are kept</source>
        <translation>Welche von mehreren überlappenden Detektionen bleiben</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>Überlappung</translation>
    </message>
    <message>
        <source>How the overlap of two boxes is measured</source>
        <translation>Wie die Überlappung zweier Rahmen gemessen wird</translation>
    </message>
    <message>
        <source>Threshold θ</source>
        <translation>Schwelle θ</translation>
    </message>
    <message>
        <source>Boxes that overlap by this fraction suppress each other: lower keeps fewer</source>
        <translation>Rahmen, die sich um diesen Anteil überlappen, unterdrücken einander: Kleiner behält weniger</translation>
    </message>
    <message>
        <source>Minimum hits</source>
        <translation>Mindesttreffer</translation>
    </message>
    <message>
        <source>Minimum confidence</source>
        <translation>Mindestkonfidenz</translation>
    </message>
    <message>
        <source>Confidence from which a detection is shown and counted: higher keeps fewer false ones</source>
        <translation>Ab welcher Konfidenz ein Fund gezeigt und gezählt wird: Größer behält weniger falsche</translation>
    </message>
    <message>
        <source>Number of raw detections that a face needs: higher keeps fewer false ones</source>
        <translation>Anzahl der Rohdetektionen, die ein Gesicht braucht: Höher behält weniger falsche</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Mittelung</translation>
    </message>
    <message>
        <source>Whether a kept box is the mean of the boxes that it suppressed</source>
        <translation>Ob ein behaltener Rahmen das Mittel der unterdrückten ist</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Throng&apos;s kernels, or the paper&apos;s map and reduce (one-pass only)</source>
        <translation>Die Kernel von Throng, oder map und reduce des Artikels (nur mit einem Durchgang)</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Reset detector and suppression to their settings at program start</source>
        <translation>Detektor und Unterdrückung wie beim Programmstart einstellen</translation>
    </message>
</context>
<context>
    <name>SwitchPanel</name>
    <message>
        <source>Defaults</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>Reset all optimizations to their defaults</source>
        <translation>Alle Optimierungen auf den Standard setzen</translation>
    </message>
</context>
<context>
    <name>Theme</name>
    <message>
        <source>person</source>
        <translation>Person</translation>
    </message>
    <message>
        <source>people</source>
        <translation>Personen</translation>
    </message>
    <message>
        <source>face</source>
        <translation>Gesicht</translation>
    </message>
    <message>
        <source>faces</source>
        <translation>Gesichter</translation>
    </message>
</context>
<context>
    <name>TimingPanel</name>
    <message>
        <source>milliseconds, full scale %1</source>
        <translation>ms, Skala bis %1</translation>
    </message>
    <message>
        <source>last</source>
        <translation>zuletzt</translation>
    </message>
    <message>
        <source>No frames yet</source>
        <translation>Noch keine Bilder</translation>
    </message>
    <message>
        <source>baseline: %1</source>
        <translation>Vergleich: %1</translation>
    </message>
    <message>
        <source>Clear the baseline</source>
        <translation>Vergleich entfernen</translation>
    </message>
    <message>
        <source>raw detections</source>
        <translation>Rohdetektionen</translation>
    </message>
    <message>
        <source>map</source>
        <translation>map</translation>
    </message>
    <message>
        <source>reduce</source>
        <translation>reduce</translation>
    </message>
    <message>
        <source>Plot of raw detections, map and reduce</source>
        <translation>Verlauf von Rohdetektionen, map und reduce</translation>
    </message>
    <message>
        <source>Click a spike to see its frame while the replay is open (I)</source>
        <translation>Ein Klick auf eine Spitze zeigt ihr Bild, solange der Rückblick offen ist (I)</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>Fewer stages</source>
        <translation>Weniger Schritte</translation>
    </message>
    <message>
        <source>%1 stages below 0.1 ms</source>
        <translation>%1 Schritte unter 0,1 ms</translation>
    </message>
    <message>
        <source>Hide the stages that take less than 0.1 ms</source>
        <translation>Schritte ausblenden, die weniger als 0,1 ms brauchen</translation>
    </message>
    <message>
        <source>Show the stages that take less than 0.1 ms</source>
        <translation>Schritte zeigen, die weniger als 0,1 ms brauchen</translation>
    </message>
    <message>
        <source>%1 raw</source>
        <translation>%1 roh</translation>
    </message>
    <message>
        <source>Last frame; median (p50) and 99th percentile (p99) of recent frames</source>
        <translation>Letztes Bild; Median (p50) und 99. Perzentil (p99) der jüngsten Bilder</translation>
    </message>
</context>
<context>
    <name>TitleBar</name>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Views</source>
        <translation>Ansichten</translation>
    </message>
    <message>
        <source>Close details</source>
        <translation>Details schließen</translation>
    </message>
    <message>
        <source>Back to the large buttons (Esc)</source>
        <translation>Zurück zu den großen Schaltflächen (Esc)</translation>
    </message>
</context>
<context>
    <name>TransportBar</name>
    <message>
        <source>Select a source to enlarge it</source>
        <translation>Eine Quelle wählen, um sie zu vergrößern</translation>
    </message>
</context>
<context>
    <name>VideoView</name>
    <message>
        <source>Zoom %1×</source>
        <translation>Zoom %1×</translation>
    </message>
    <message>
        <source>Whole image</source>
        <translation>Ganzes Bild</translation>
    </message>
    <message>
        <source>Opening %1 …</source>
        <translation>%1 wird geöffnet …</translation>
    </message>
    <message>
        <source>No source is open</source>
        <translation>Keine Quelle geöffnet</translation>
    </message>
    <message>
        <source>Waiting for the first frame …</source>
        <translation>Wartet auf das erste Bild …</translation>
    </message>
    <message>
        <source> · %1 fps</source>
        <translation> · %1 fps</translation>
    </message>
    <message>
        <source> · %1 ms</source>
        <translation> · %1 ms</translation>
    </message>
    <message>
        <source>Clock sweep: %1 of %2</source>
        <translation>Messreihe: %1 von %2</translation>
    </message>
    <message>
        <source>Drop to open</source>
        <translation>Zum Öffnen loslassen</translation>
    </message>
    <message>
        <source>Hide faces</source>
        <translation>Gesichter verbergen</translation>
    </message>
    <message>
        <source>boxes</source>
        <translation>Rahmen</translation>
    </message>
</context>
<context>
    <name>VisitorBar</name>
    <message>
        <source>A detector looks everywhere, at every size. It finds each face many times.</source>
        <translation>Ein Detektor sucht überall, in jeder Größe. Er findet jedes Gesicht viele Male.</translation>
    </message>
    <message>
        <source>Overlapping boxes belong to one face: the best one is kept.</source>
        <translation>Rahmen, die sich überdecken, gehören zu einem Gesicht: Der beste bleibt.</translation>
    </message>
    <message>
        <source>Every cell compares two boxes, all at once. Rows without a lit cell are kept.</source>
        <translation>Jede Zelle vergleicht zwei Rahmen, alle zugleich. Zeilen ohne helle Zelle bleiben.</translation>
    </message>
    <message>
        <source>How it works</source>
        <translation>So geht es</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>Verborgen</translation>
    </message>
    <message>
        <source>Detected faces are hidden: on the screen, in videos and in images.</source>
        <translation>Gefundene Gesichter sind verborgen: am Bildschirm, in Videos und in Bildern.</translation>
    </message>
    <message>
        <source>Every face in the image is found, many times per second.</source>
        <translation>Jedes Gesicht im Bild wird gefunden, viele Male pro Sekunde.</translation>
    </message>
    <message>
        <source>Hide faces</source>
        <translation>Gesichter verbergen</translation>
    </message>
    <message>
        <source>Hold to show faces</source>
        <translation>Halten, um Gesichter zu zeigen</translation>
    </message>
    <message>
        <source>How it works, %1 of %2</source>
        <translation>So geht es, %1 von %2</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Whole image</source>
        <translation>Ganzes Bild</translation>
    </message>
    <message>
        <source>Show the whole image</source>
        <translation>Das ganze Bild zeigen</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Show all figures and controls</source>
        <translation>Alle Zahlen und Regler zeigen</translation>
    </message>
</context>
<context>
    <name>WallView</name>
    <message>
        <source>Sources</source>
        <translation>Quellen</translation>
    </message>
    <message>
        <source>%1 is not running</source>
        <translation>%1 läuft nicht</translation>
    </message>
    <message>
        <source>%1 of %2 sources</source>
        <translation>%1 von %2 Quellen</translation>
    </message>
    <message>
        <source>%1 fps in total</source>
        <translation>zusammen %1 fps</translation>
    </message>
    <message>
        <source>Opening …</source>
        <translation>Wird geöffnet …</translation>
    </message>
    <message>
        <source>Waiting for the first frame …</source>
        <translation>Wartet auf das erste Bild …</translation>
    </message>
    <message>
        <source>retrying in %1 s</source>
        <translation>neuer Versuch in %1 s</translation>
    </message>
    <message>
        <source>reopening …</source>
        <translation>wird wieder geöffnet …</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message>
        <source>opening</source>
        <translation>wird geöffnet</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>no signal</source>
        <translation>kein Signal</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source> · ended</source>
        <translation> · beendet</translation>
    </message>
    <message>
        <source> · %1 fps</source>
        <translation> · %1 fps</translation>
    </message>
    <message>
        <source> · %1 ms</source>
        <translation> · %1 ms</translation>
    </message>
</context>
<context>
    <name>throng::ui</name>
    <message>
        <source>GPU load</source>
        <translation>GPU-Last</translation>
    </message>
    <message>
        <source>GPU clock</source>
        <translation>GPU-Takt</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>Leistung</translation>
    </message>
    <message>
        <source>Energy per frame</source>
        <translation>Energie je Bild</translation>
    </message>
    <message>
        <source>CPU load</source>
        <translation>CPU-Last</translation>
    </message>
    <message>
        <source>CPU clock</source>
        <translation>CPU-Takt</translation>
    </message>
    <message>
        <source>Memory clock</source>
        <translation>Speichertakt</translation>
    </message>
    <message>
        <source>Playback</source>
        <translation>Wiedergabe</translation>
    </message>
    <message>
        <source>Play or pause</source>
        <translation>Abspielen oder anhalten</translation>
    </message>
    <message>
        <source>Forward one frame</source>
        <translation>Ein Bild vor</translation>
    </message>
    <message>
        <source>Back one frame</source>
        <translation>Ein Bild zurück</translation>
    </message>
    <message>
        <source>Back 5 seconds</source>
        <translation>5 Sekunden zurück</translation>
    </message>
    <message>
        <source>Forward 5 seconds</source>
        <translation>5 Sekunden vor</translation>
    </message>
    <message>
        <source>To the beginning</source>
        <translation>Zum Anfang</translation>
    </message>
    <message>
        <source>Slower</source>
        <translation>Langsamer</translation>
    </message>
    <message>
        <source>Faster</source>
        <translation>Schneller</translation>
    </message>
    <message>
        <source>Loop on or off</source>
        <translation>Wiederholung an oder aus</translation>
    </message>
    <message>
        <source>Repeat a segment: start, end, off</source>
        <translation>Abschnitt wiederholen</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Vollbild</translation>
    </message>
    <message>
        <source>Side panel</source>
        <translation>Seitenleiste</translation>
    </message>
    <message>
        <source>Suppression matrix</source>
        <translation>Unterdrückungsmatrix</translation>
    </message>
    <message>
        <source>People, lines and zones</source>
        <translation>Personen, Linien, Zonen</translation>
    </message>
    <message>
        <source>Undo (lines and zones)</source>
        <translation>Rückgängig (Linien, Zonen)</translation>
    </message>
    <message>
        <source>Two settings side by side</source>
        <translation>Zwei Einstellungen im Vergleich</translation>
    </message>
    <message>
        <source>Race of the implementations</source>
        <translation>Rennen der Implementierungen</translation>
    </message>
    <message>
        <source>The last 30 seconds</source>
        <translation>Die letzten 30 Sekunden</translation>
    </message>
    <message>
        <source>Save a screenshot</source>
        <translation>Bildschirmfoto speichern</translation>
    </message>
    <message>
        <source>Record a video</source>
        <translation>Video aufnehmen</translation>
    </message>
    <message>
        <source>This list of shortcuts</source>
        <translation>Diese Liste der Tastenkürzel</translation>
    </message>
    <message>
        <source>Close, leave full screen</source>
        <translation>Schließen, Vollbild verlassen</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Zoom in; also the wheel</source>
        <translation>Vergrößern; auch mit dem Rad</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Show the whole image</source>
        <translation>Ganzes Bild zeigen</translation>
    </message>
    <message>
        <source>Raw detections on or off</source>
        <translation>Rohdetektionen an oder aus</translation>
    </message>
    <message>
        <source>Kept detections on or off</source>
        <translation>Behaltene an oder aus</translation>
    </message>
    <message>
        <source>Scores and hits on or off</source>
        <translation>Bewertung, Treffer an oder aus</translation>
    </message>
    <message>
        <source>Eyes, nose and mouth on or off</source>
        <translation>Augen, Nase, Mund an oder aus</translation>
    </message>
    <message>
        <source>Hide faces</source>
        <translation>Gesichter verbergen</translation>
    </message>
    <message>
        <source>Cascade heat map on or off</source>
        <translation>Stufenkarte an oder aus</translation>
    </message>
    <message>
        <source>Detection</source>
        <translation>Detektion</translation>
    </message>
    <message>
        <source>Next detector</source>
        <translation>Nächster Detektor</translation>
    </message>
    <message>
        <source>Next suppression rule</source>
        <translation>Nächste Regel</translation>
    </message>
    <message>
        <source>Raise the threshold</source>
        <translation>Schwelle erhöhen</translation>
    </message>
    <message>
        <source>Lower the threshold</source>
        <translation>Schwelle senken</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>Takt</translation>
    </message>
    <message>
        <source>Next clock profile</source>
        <translation>Nächstes Taktprofil</translation>
    </message>
    <message>
        <source>Previous clock profile</source>
        <translation>Voriges Taktprofil</translation>
    </message>
    <message>
        <source>Start or cancel the clock sweep</source>
        <translation>Messreihe starten, abbrechen</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Open a video or image</source>
        <translation>Video oder Bild öffnen</translation>
    </message>
    <message>
        <source>Source menu</source>
        <translation>Menü der Quellen</translation>
    </message>
    <message>
        <source>Demo crowd</source>
        <translation>Demo-Publikum</translation>
    </message>
    <message>
        <source>Model %1</source>
        <translation>Modell %1</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>Kernels: %1</source>
        <translation>Kernel: %1</translation>
    </message>
    <message>
        <source>Suppression: %1</source>
        <translation>Unterdrückung: %1</translation>
    </message>
    <message>
        <source>Overlap: %1</source>
        <translation>Überlappung: %1</translation>
    </message>
    <message>
        <source>Threshold θ %1</source>
        <translation>Schwelle θ %1</translation>
    </message>
    <message>
        <source>Minimum hits %1</source>
        <translation>Mindesttreffer %1</translation>
    </message>
    <message>
        <source>Minimum confidence %1</source>
        <translation>Mindestkonfidenz %1</translation>
    </message>
    <message>
        <source>Merge: %1</source>
        <translation>Mittelung: %1</translation>
    </message>
    <message>
        <source>Minimum score %1</source>
        <translation>Mindestbewertung %1</translation>
    </message>
    <message>
        <source>Minimum size %1 px</source>
        <translation>Mindestgröße %1 px</translation>
    </message>
    <message>
        <source>No maximum size</source>
        <translation>Keine Höchstgröße</translation>
    </message>
    <message>
        <source>Maximum size %1 px</source>
        <translation>Höchstgröße %1 px</translation>
    </message>
    <message>
        <source>Scale factor %1</source>
        <translation>Skalierung %1</translation>
    </message>
    <message>
        <source>16-bit arithmetic on</source>
        <translation>16-Bit-Arithmetik an</translation>
    </message>
    <message>
        <source>16-bit arithmetic off</source>
        <translation>16-Bit-Arithmetik aus</translation>
    </message>
    <message>
        <source>Default settings</source>
        <translation>Standardeinstellungen</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>Boxes of the same face are compared with each other: only the best one is kept.</source>
        <translation>Die Rahmen eines Gesichts werden miteinander verglichen: Nur der beste bleibt.</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Zählen</translation>
    </message>
    <message>
        <source>Draw lines and zones on the image: people who cross or enter them are counted.</source>
        <translation>Linien und Zonen ins Bild zeichnen: Wer sie überquert oder betritt, wird gezählt.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>The same image, searched twice: drag the line and see what each side finds.</source>
        <translation>Dasselbe Bild, zweimal durchsucht: Linie ziehen und sehen, was jede Seite findet.</translation>
    </message>
    <message>
        <source>Race</source>
        <translation>Rennen</translation>
    </message>
    <message>
        <source>Several programs do the same work on the same image: the shortest bar wins.</source>
        <translation>Mehrere Programme tun dieselbe Arbeit am selben Bild: Der kürzeste Balken gewinnt.</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>Rückblick</translation>
    </message>
    <message>
        <source>Nothing is lost: choose a moment in the bar and look at it again.</source>
        <translation>Nichts ist verloren: In der Leiste einen Moment wählen und noch einmal ansehen.</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>Stufen</translation>
    </message>
    <message>
        <source>The brighter a spot, the more stages of the detector it passed.</source>
        <translation>Je heller eine Stelle, desto mehr Stufen des Detektors hat sie bestanden.</translation>
    </message>
    <message>
        <source>Pinch</source>
        <translation>Spreizen</translation>
    </message>
    <message>
        <source>Zoom in and out</source>
        <translation>Hinein- und herauszoomen</translation>
    </message>
    <message>
        <source>Drag</source>
        <translation>Ziehen</translation>
    </message>
    <message>
        <source>Move the magnified image, or the line between two settings</source>
        <translation>Das vergrößerte Bild bewegen, oder die Linie zwischen zwei Einstellungen</translation>
    </message>
    <message>
        <source>Tap</source>
        <translation>Tippen</translation>
    </message>
    <message>
        <source>Press a button, choose a row of the matrix or a moment of the replay</source>
        <translation>Eine Schaltfläche drücken, eine Zeile der Matrix oder einen Moment des Rückblicks wählen</translation>
    </message>
    <message>
        <source>Tap twice</source>
        <translation>Doppeltipp</translation>
    </message>
    <message>
        <source>Next file</source>
        <translation>Nächste Datei</translation>
    </message>
    <message>
        <source>Previous file</source>
        <translation>Vorige Datei</translation>
    </message>
</context>
<context>
    <name>throng::ui::Captures</name>
    <message>
        <source>Recording saved</source>
        <translation>Aufnahme gespeichert</translation>
    </message>
    <message>
        <source>Screenshot saved</source>
        <translation>Bildschirmfoto gespeichert</translation>
    </message>
</context>
<context>
    <name>throng::ui::Clocks</name>
    <message>
        <source>Detecting the GPU clock …</source>
        <translation>GPU-Takt wird ermittelt …</translation>
    </message>
    <message>
        <source>No clock profiles available</source>
        <translation>Keine Taktprofile verfügbar</translation>
    </message>
    <message>
        <source>Another program changed the clock</source>
        <translation>Ein anderes Programm hat den Takt geändert</translation>
    </message>
    <message>
        <source>The board is throttling: %1</source>
        <translation>Das Board drosselt: %1</translation>
    </message>
    <message>
        <source>No permission to change the clock: %1</source>
        <translation>Keine Berechtigung, den Takt zu ändern: %1</translation>
    </message>
    <message>
        <source>The clock cannot be changed: %1</source>
        <translation>Der Takt ist nicht änderbar: %1</translation>
    </message>
    <message>
        <source>The board rejected the clock: %1</source>
        <translation>Das Board lehnt den Takt ab: %1</translation>
    </message>
</context>
<context>
    <name>throng::ui::CountsView</name>
    <message>
        <source>Lines and zones are saved without the comments of the file</source>
        <translation>Linien und Zonen werden ohne die Kommentare der Datei gespeichert</translation>
    </message>
    <message>
        <source>the previous file: %1</source>
        <translation>die bisherige Datei: %1</translation>
    </message>
</context>
<context>
    <name>throng::ui::DetectionSettings</name>
    <message>
        <source>%1 (default)</source>
        <translation>%1 (Standard)</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Standard</translation>
    </message>
</context>
<context>
    <name>throng::ui::Feedback</name>
    <message>
        <source>%1: %2 found, %3 ms</source>
        <translation>%1: %2 gefunden, %3 ms</translation>
    </message>
    <message>
        <source>%1: %2 found</source>
        <translation>%1: %2 gefunden</translation>
    </message>
</context>
<context>
    <name>throng::ui::MatrixView</name>
    <message>
        <source>row %1: kept</source>
        <translation>Zeile %1: behalten</translation>
    </message>
    <message>
        <source>row %1: suppressed by %2</source>
        <translation>Zeile %1: unterdrückt von %2</translation>
    </message>
    <message>
        <source>%1 boxes are shown: the soft rule lowers scores, and removes few</source>
        <translation>%1 Rahmen sind zu sehen: Die weiche Regel senkt Bewertungen und entfernt wenige</translation>
    </message>
    <message>
        <source>%1 are shown: the confidence of %2 of the kept boxes is too low</source>
        <translation>%1 sind zu sehen: die Konfidenz von %2 der behaltenen Rahmen ist zu gering</translation>
    </message>
    <message>
        <source>%1 are shown: %2 of the kept boxes have fewer than %3 hits</source>
        <translation>%1 sind zu sehen: %2 der behaltenen Rahmen haben weniger als %3 Treffer</translation>
    </message>
</context>
<context>
    <name>throng::ui::Playlist</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>throng::ui::ProfileModel</name>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>Min</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>Max</translation>
    </message>
    <message>
        <source>set by the board&apos;s governor</source>
        <translation>vom Governor des Boards bestimmt</translation>
    </message>
</context>
<context>
    <name>throng::ui::RecentModel</name>
    <message>
        <source>Demo crowd</source>
        <translation>Demo-Publikum</translation>
    </message>
    <message>
        <source>Camera %1</source>
        <translation>Kamera %1</translation>
    </message>
    <message>
        <source>Mosaic of %1</source>
        <translation>Mosaik aus %1</translation>
    </message>
</context>
<context>
    <name>throng::ui::Replay</name>
    <message>
        <source>%1 s before · %2 found</source>
        <translation>%1 s davor · %2 gefunden</translation>
    </message>
    <message>
        <source>frame %1, %2 s before: %3 of %4 boxes, %5 ms</source>
        <translation>Bild %1, %2 s davor: %3 von %4 Rahmen, %5 ms</translation>
    </message>
</context>
<context>
    <name>throng::ui::Review</name>
    <message>
        <source>Track %1</source>
        <translation>Spur %1</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
</context>
<context>
    <name>throng::ui::DefaultDetector</name>
    <message>
        <source>%1: %2 ms per frame; using it. Key %3 changes it</source>
        <translation>%1: %2 ms je Bild; wird verwendet. Taste %3 wechselt</translation>
    </message>
    <message>
        <source>%1: %2 ms per frame, too slow here; using %3. Key %4 changes it</source>
        <translation>%1: %2 ms je Bild, hier zu langsam; verwendet wird %3. Taste %4 wechselt</translation>
    </message>
</context>
<context>
    <name>throng::ui::SwitchControl</name>
    <message>
        <source>previous optimizations</source>
        <translation>bisherige Optimierungen</translation>
    </message>
</context>
<context>
    <name>throng::ui::ClockEffects</name>
    <message>
        <source>The clocks were restored</source>
        <translation>Die Takte sind wiederhergestellt</translation>
    </message>
    <message>
        <source>GPU clock: %1</source>
        <translation>GPU-Takt: %1</translation>
    </message>
</context>
<context>
    <name>throng::ui::StageMapView</name>
    <message>
        <source>All sizes</source>
        <translation>Alle Größen</translation>
    </message>
    <message>
        <source>%1 px, %2 of %3</source>
        <translation>%1 px, %2 von %3</translation>
    </message>
    <message>
        <source>all %1</source>
        <translation>alle %1</translation>
    </message>
    <message>
        <source>Only cascades have stages: choose the detector Haar or LBP</source>
        <translation>Nur Kaskaden haben Stufen: den Detektor Haar oder LBP wählen</translation>
    </message>
</context>
<context>
    <name>throng::ui::Sweep</name>
    <message>
        <source>no frames measured</source>
        <translation>keine Bilder gemessen</translation>
    </message>
    <message>
        <source>the board throttled the clock</source>
        <translation>das Board hat den Takt gedrosselt</translation>
    </message>
    <message>
        <source>Canceled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Stopped: another profile was chosen</source>
        <translation>Beendet: Ein anderes Profil wurde gewählt</translation>
    </message>
</context>
</TS>
