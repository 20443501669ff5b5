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
        <source>Faces that are found are hidden</source>
        <translation>Gefundene Gesichter sind verborgen</translation>
    </message>
    <message>
        <source>Blur faces</source>
        <translation>Gesichter verbergen</translation>
    </message>
    <message>
        <source>Map of stages on</source>
        <translation>Stufenkarte an</translation>
    </message>
    <message>
        <source>Map of stages off</source>
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
        <translation>wird gesetzt …</translation>
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
        <source>cannot keep up: %1 of %2 frames shown</source>
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
        <source>Settings of the left side, which the window keeps</source>
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
    <name>CountsFileSheet</name>
    <message>
        <source>Save the lines and zones</source>
        <translation>Linien und Zonen speichern</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Name a file.</source>
        <translation>Bitte eine Datei nennen.</translation>
    </message>
    <message>
        <source>%1 exists already. Its contents are replaced.</source>
        <translation>%1 gibt es schon. Der Inhalt wird ersetzt.</translation>
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
        <source>Draw a line: who crosses it is counted, in both directions</source>
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
        <source>Counting takes %1 ms per frame. Who leaves and comes back counts again.</source>
        <translation>Das Zählen dauert %1 ms je Bild. Wer geht und wiederkommt, zählt noch einmal.</translation>
    </message>
    <message>
        <source>Draw lines and zones over the image to count crossings and visits.</source>
        <translation>Linien und Zonen im Bild zählen Übertritte und Besuche.</translation>
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
        <source>This machine is too slow for these sizes. Now: %1.</source>
        <translation>Dieser Rechner ist zu langsam für diese Größen. Jetzt: %1.</translation>
    </message>
    <message>
        <source>16-bit arithmetic</source>
        <translation>16-Bit-Arithmetik</translation>
    </message>
    <message>
        <source>Faster on most GPUs, slightly less accurate</source>
        <translation>Auf den meisten GPUs schneller, etwas weniger genau</translation>
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
        <source>Blur faces</source>
        <translation>Gesichter verbergen</translation>
    </message>
    <message>
        <source>Map of stages</source>
        <translation>Stufenkarte</translation>
    </message>
    <message>
        <source>Only faces that are found are hidden.</source>
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
    <name>FileDialogs</name>
    <message>
        <source>Open a video or image</source>
        <translation>Video oder Bild öffnen</translation>
    </message>
    <message>
        <source>Videos and images</source>
        <translation>Videos und Bilder</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open a detector model</source>
        <translation>Modell eines Detektors öffnen</translation>
    </message>
</context>
<context>
    <name>FolderChooser</name>
    <message>
        <source>Open a folder of images: choose any file in it</source>
        <translation>Ordner mit Bildern öffnen: eine Datei darin wählen</translation>
    </message>
    <message>
        <source>Open a folder of images</source>
        <translation>Ordner mit Bildern öffnen</translation>
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
</context>
<context>
    <name>InlineWarning</name>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>MatrixPanel</name>
    <message>
        <source>%1 of %2 kept</source>
        <translation>%1 von %2 behalten</translation>
    </message>
    <message>
        <source>Suppression matrix, %1</source>
        <translation>Unterdrückungsmatrix, %1</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>Suppression matrix</source>
        <translation>Unterdrückungsmatrix</translation>
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
        <source>one-pass</source>
        <translation>ein Durchgang</translation>
    </message>
    <message>
        <source>greedy</source>
        <translation>gierig</translation>
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
        <translation>Kosten dieser Ansicht: %1 ms je Matrix, auf der CPU</translation>
    </message>
    <message>
        <source>A cell is lit if its column suppresses its row (map). A row without a lit cell is kept (reduce). In greedy, dim columns are suppressed themselves. Marked rows differ.</source>
        <translation>Eine Zelle leuchtet, wenn ihre Spalte ihre Zeile unterdrückt (map). Eine Zeile ohne leuchtende Zelle bleibt (reduce). Bei der gierigen Regel sind matte Spalten selbst unterdrückt. Markierte Zeilen unterscheiden sich.</translation>
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
    <message>
        <source>Milliseconds of every frame of the last 30 seconds</source>
        <translation>Millisekunden jedes Bildes der letzten 30 Sekunden</translation>
    </message>
    <message>
        <source>Recording begins with the next frame</source>
        <translation>Aufgezeichnet wird ab dem nächsten Bild</translation>
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
        <source>Doubtful tracks</source>
        <translation>Zweifelhafte Spuren</translation>
    </message>
    <message>
        <source>They are hidden. Keep a track visible only if it is no face.</source>
        <translation>Sie sind verborgen. Nur was kein Gesicht ist, soll sichtbar bleiben.</translation>
    </message>
    <message>
        <source>Track %1, %2, %3</source>
        <translation>Spur %1, %2, %3</translation>
    </message>
    <message>
        <source>Track %1 · %2–%3 s · %4 %5</source>
        <translation>Spur %1 · %2–%3 s · %4 %5</translation>
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
        <source>Track %1 · %2 s · %3 %4</source>
        <translation>Spur %1 · %2 s · %3 %4</translation>
    </message>
    <message>
        <source>not doubtful</source>
        <translation>nicht zweifelhaft</translation>
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
        <source>open</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>Hide (H)</source>
        <translation>Verbergen (H)</translation>
    </message>
    <message>
        <source>It is a face, or may be one: it remains hidden</source>
        <translation>Es ist ein Gesicht, oder vielleicht eines: Es bleibt verborgen</translation>
    </message>
    <message>
        <source>Keep visible (V)</source>
        <translation>Sichtbar lassen (V)</translation>
    </message>
    <message>
        <source>It is no face: it is visible in the new file</source>
        <translation>Es ist kein Gesicht: In der neuen Datei ist es sichtbar</translation>
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
        <source>Stop writing; the file of before remains</source>
        <translation>Nicht weiter schreiben; die bisherige Datei bleibt</translation>
    </message>
    <message>
        <source>Write %1 and its report with these decisions</source>
        <translation>%1 und den Bericht mit diesen Entscheidungen schreiben</translation>
    </message>
    <message>
        <source>The decisions are not written. Close again to discard them.</source>
        <translation>Die Entscheidungen sind nicht geschrieben. Noch einmal schließen verwirft sie.</translation>
    </message>
    <message>
        <source>%1 of %2 still open</source>
        <translation>%1 von %2 noch offen</translation>
    </message>
    <message>
        <source>All decided; not written yet</source>
        <translation>Alles entschieden, noch nicht geschrieben</translation>
    </message>
    <message>
        <source>All decided</source>
        <translation>Alles entschieden</translation>
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
        <translation>Demo-Menge</translation>
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
        <source>takes %1 times as long as before</source>
        <translation>dauert %1-mal so lang wie vorher</translation>
    </message>
    <message>
        <source>%1 times as fast as before</source>
        <translation>%1-mal so schnell wie vorher</translation>
    </message>
</context>
<context>
    <name>StageMapOverlay</name>
    <message>
        <source>Map of stages</source>
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
        <source> · %1 s behind the image</source>
        <translation> · %1 s hinter dem Bild</translation>
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
        <translation>Halten zeigt Gesichter</translation>
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
        <source>Open a camera of this machine, or the address of one</source>
        <translation>Kamera dieses Rechners öffnen, oder die Adresse einer Kamera</translation>
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
        <translation>Demo-Menge</translation>
    </message>
    <message>
        <source>Needs no file</source>
        <translation>Ohne Datei</translation>
    </message>
    <message>
        <source>Show a generated crowd of 60 faces</source>
        <translation>Eine gezeichnete Menge mit 60 Gesichtern zeigen</translation>
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
        <source>Restore detector and suppression settings to their values at program start</source>
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
        <source>Click a spike to see its frame, if the last 30 seconds are open (I)</source>
        <translation>Ein Klick auf eine Spitze zeigt ihr Bild, wenn die letzten 30 Sekunden offen sind (I)</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
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
</context>
<context>
    <name>TransportBar</name>
    <message>
        <source>Press a source to enlarge it</source>
        <translation>Eine Quelle antippen vergrößert sie</translation>
    </message>
    <message>
        <source>LIVE</source>
        <translation>LIVE</translation>
    </message>
    <message>
        <source>NO SIGNAL</source>
        <translation>KEIN SIGNAL</translation>
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
        <translation>Keine Quelle ist offen</translation>
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
        <translation>Loslassen öffnet</translation>
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
        <source>again in %1 s</source>
        <translation>wieder in %1 s</translation>
    </message>
    <message>
        <source>opening again …</source>
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
        <source>No such file or directory</source>
        <translation>Datei oder Ordner nicht gefunden</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>Keine Berechtigung</translation>
    </message>
    <message>
        <source>Connection refused</source>
        <translation>Verbindung abgelehnt</translation>
    </message>
    <message>
        <source>Connection timed out</source>
        <translation>Keine Antwort in der erlaubten Zeit</translation>
    </message>
    <message>
        <source>this machine has no GPU clock to control</source>
        <translation>Diese Maschine hat keinen GPU-Takt zum Einstellen</translation>
    </message>
    <message>
        <source>the GPU&apos;s clock steps are not available yet</source>
        <translation>Die Takte der GPU sind noch nicht bekannt</translation>
    </message>
    <message>
        <source>faces</source>
        <translation>Gesichter</translation>
    </message>
    <message>
        <source>people</source>
        <translation>Personen</translation>
    </message>
    <message>
        <source>%1 from %2 instead of %3 px, scale factor %4 instead of %5</source>
        <translation>%1 ab %2 statt %3 px, Skalenfaktor %4 statt %5</translation>
    </message>
    <message>
        <source>%1 from %2 instead of %3 px</source>
        <translation>%1 ab %2 statt %3 px</translation>
    </message>
    <message>
        <source>drawn crowd of %1, %2</source>
        <translation>gezeichnete Menge, %1 Gesichter, %2</translation>
    </message>
    <message>
        <source>image %1</source>
        <translation>Bild %1</translation>
    </message>
    <message>
        <source>%1 images</source>
        <translation>%1 Bilder</translation>
    </message>
    <message>
        <source>%1 image</source>
        <translation>%1 Bild</translation>
    </message>
    <message>
        <source>2x2 of %1</source>
        <translation>2x2 aus %1</translation>
    </message>
    <message>
        <source>Throng, %1 (%2)</source>
        <translation>Throng, %1 (%2)</translation>
    </message>
    <message>
        <source>Plain loop, %1 (CPU)</source>
        <translation>Einfache Schleife, %1 (CPU)</translation>
    </message>
    <message>
        <source>OpenCV NMSBoxes, greedy (CPU)</source>
        <translation>OpenCV NMSBoxes, gierig (CPU)</translation>
    </message>
    <message>
        <source>The paper&apos;s kernels, one-pass (GPU)</source>
        <translation>Die Kernel des Artikels, ein Durchgang (GPU)</translation>
    </message>
    <message>
        <source>same %1 boxes</source>
        <translation>dieselben %1 Rahmen</translation>
    </message>
    <message>
        <source>%1 boxes, %2 of %3 in common</source>
        <translation>%1 Rahmen, davon %2 von %3 gleich</translation>
    </message>
    <message>
        <source>%1 boxes</source>
        <translation>%1 Rahmen</translation>
    </message>
    <message>
        <source>another order of equal scores, none of 0 or less, always the IoU</source>
        <translation>gleiche Werte anders geordnet, keine bis 0, immer die IoU</translation>
    </message>
    <message>
        <source>%1 as one-pass, which keeps fewer</source>
        <translation>%1 wie mit einem Durchgang, der weniger behält</translation>
    </message>
    <message>
        <source>has no soft rules</source>
        <translation>hat keine weichen Regeln</translation>
    </message>
    <message>
        <source>has the greedy rule only</source>
        <translation>hat nur die gierige Regel</translation>
    </message>
    <message>
        <source>quadratic: not run for more than %1 detections</source>
        <translation>quadratisch: nicht für mehr als %1 Detektionen</translation>
    </message>
    <message>
        <source>not run for more than %1 detections: their matrix is too large</source>
        <translation>nicht für mehr als %1 Detektionen: Ihre Matrix ist zu groß</translation>
    </message>
    <message>
        <source>need a GPU</source>
        <translation>brauchen eine GPU</translation>
    </message>
    <message>
        <source>cpu: %1</source>
        <translation>CPU: %1</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>so verlangt</translation>
    </message>
    <message>
        <source>no NVIDIA driver is installed</source>
        <translation>kein NVIDIA-Treiber installiert</translation>
    </message>
    <message>
        <source>the NVIDIA driver found no GPU</source>
        <translation>Der NVIDIA-Treiber findet keine GPU</translation>
    </message>
    <message>
        <source>same %1 raw detections</source>
        <translation>dieselben %1 Rohdetektionen</translation>
    </message>
    <message>
        <source>%1 raw detections instead of %2</source>
        <translation>%1 statt %2 Rohdetektionen</translation>
    </message>
    <message>
        <source>%1 as set (%2)</source>
        <translation>%1 wie eingestellt (%2)</translation>
    </message>
    <message>
        <source>%1 off: %2</source>
        <translation>%1 aus: %2</translation>
    </message>
    <message>
        <source>also</source>
        <translation>auch</translation>
    </message>
    <message>
        <source>switched</source>
        <translation>einzeln</translation>
    </message>
    <message>
        <source>on one thread</source>
        <translation>auf einem Thread</translation>
    </message>
    <message>
        <source>Optimizations off, one after the other</source>
        <translation>Optimierungen aus, eine nach der anderen</translation>
    </message>
    <message>
        <source>this detector has none to switch off</source>
        <translation>dieser Detektor hat keine</translation>
    </message>
    <message>
        <source>only the detectors on a GPU have switches</source>
        <translation>nur Detektoren auf der GPU haben Schalter</translation>
    </message>
    <message>
        <source>file not found</source>
        <translation>Datei nicht gefunden</translation>
    </message>
    <message>
        <source>check the path</source>
        <translation>Pfad prüfen</translation>
    </message>
    <message>
        <source>no such camera</source>
        <translation>keine solche Kamera</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>nicht lesbar</translation>
    </message>
    <message>
        <source>check the file&apos;s permissions</source>
        <translation>Rechte der Datei prüfen</translation>
    </message>
    <message>
        <source>the folder contains no images</source>
        <translation>Der Ordner enthält keine Bilder</translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation>Die Datei ist leer</translation>
    </message>
    <message>
        <source>the file is damaged</source>
        <translation>Die Datei ist beschädigt</translation>
    </message>
    <message>
        <source>the file is damaged or cut short</source>
        <translation>Die Datei ist beschädigt oder unvollständig</translation>
    </message>
    <message>
        <source>not an image in a supported format</source>
        <translation>kein Bild in einem unterstützten Format</translation>
    </message>
    <message>
        <source>the input contains no video</source>
        <translation>Die Quelle enthält kein Video</translation>
    </message>
    <message>
        <source>the file cannot be read any further</source>
        <translation>Die Datei ist ab hier nicht lesbar</translation>
    </message>
    <message>
        <source>no frame can be decoded</source>
        <translation>kein Bild lässt sich decodieren</translation>
    </message>
    <message>
        <source>cannot be reached: %1</source>
        <translation>nicht erreichbar: %1</translation>
    </message>
    <message>
        <source>no data for %1</source>
        <translation>keine Daten seit %1</translation>
    </message>
    <message>
        <source>reconnecting, attempt %1</source>
        <translation>neue Verbindung, Versuch %1</translation>
    </message>
    <message>
        <source>reconnected, waiting for a frame</source>
        <translation>wieder verbunden, wartet auf ein Bild</translation>
    </message>
    <message>
        <source>the video cannot be decoded: %1</source>
        <translation>Das Video lässt sich nicht decodieren: %1</translation>
    </message>
    <message>
        <source>no source specified</source>
        <translation>keine Quelle angegeben</translation>
    </message>
    <message>
        <source>not a regular file</source>
        <translation>keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>no answer within %1</source>
        <translation>keine Antwort innerhalb von %1</translation>
    </message>
    <message>
        <source>check the address, the network and whether the sender is running</source>
        <translation>Adresse, Netz und Sender prüfen</translation>
    </message>
    <message>
        <source>the server rejected the user name or password</source>
        <translation>Der Server lehnt Name oder Passwort ab</translation>
    </message>
    <message>
        <source>the server requires a user name and a password</source>
        <translation>Der Server verlangt Name und Passwort</translation>
    </message>
    <message>
        <source>put user:password@ before the host</source>
        <translation>Name:Passwort@ vor den Rechner schreiben</translation>
    </message>
    <message>
        <source>the server denied access</source>
        <translation>Der Server verweigert den Zugriff</translation>
    </message>
    <message>
        <source>check the user name and the password</source>
        <translation>Name und Passwort prüfen</translation>
    </message>
    <message>
        <source>not found on the server</source>
        <translation>auf dem Server nicht vorhanden</translation>
    </message>
    <message>
        <source>check the path after the host</source>
        <translation>Pfad nach dem Rechner prüfen</translation>
    </message>
    <message>
        <source>this FFmpeg build does not support this protocol</source>
        <translation>Dieses FFmpeg kennt das Protokoll nicht</translation>
    </message>
    <message>
        <source>check the part before the colon</source>
        <translation>Teil vor dem Doppelpunkt prüfen</translation>
    </message>
    <message>
        <source>not a readable video</source>
        <translation>kein lesbares Video</translation>
    </message>
    <message>
        <source>the file may be damaged, cut short, or of another type</source>
        <translation>Die Datei ist vielleicht beschädigt, unvollständig oder anderer Art</translation>
    </message>
    <message>
        <source>another program may be using it</source>
        <translation>Vielleicht verwendet es ein anderes Programm</translation>
    </message>
    <message>
        <source>check the address and whether the sender is running</source>
        <translation>Adresse und Sender prüfen</translation>
    </message>
    <message>
        <source>check the sender of the video</source>
        <translation>Sender des Videos prüfen</translation>
    </message>
    <message>
        <source>choose a file with a video track</source>
        <translation>eine Datei mit Videospur wählen</translation>
    </message>
    <message>
        <source>the connection or the sender has stopped</source>
        <translation>Verbindung oder Sender steht still</translation>
    </message>
    <message>
        <source>%1, before the first frame</source>
        <translation>%1, vor dem ersten Bild</translation>
    </message>
    <message>
        <source>the input contains no frames</source>
        <translation>Die Quelle enthält keine Bilder</translation>
    </message>
    <message>
        <source>the video has a length of 0 seconds</source>
        <translation>Das Video ist 0 Sekunden lang</translation>
    </message>
    <message>
        <source>the host name was not resolved within %1</source>
        <translation>Der Name des Rechners blieb %1 unbekannt</translation>
    </message>
    <message>
        <source>check the network and its name server</source>
        <translation>Netz und Namensdienst prüfen</translation>
    </message>
    <message>
        <source>host not found: %1</source>
        <translation>Rechner nicht gefunden: %1</translation>
    </message>
    <message>
        <source>check the address and the network</source>
        <translation>Adresse und Netz prüfen</translation>
    </message>
    <message>
        <source>the frame is too large: %1 pixels</source>
        <translation>Das Bild ist zu groß: %1 Pixel</translation>
    </message>
    <message>
        <source>at most %1 megapixels are supported</source>
        <translation>höchstens %1 Megapixel sind möglich</translation>
    </message>
    <message>
        <source>the %1 decoder is unavailable: %2</source>
        <translation>Der Decoder %1 fehlt: %2</translation>
    </message>
    <message>
        <source>the GPU cannot decode this type of video (%1)</source>
        <translation>Die GPU kann dieses Video nicht decodieren (%1)</translation>
    </message>
    <message>
        <source>use --decoder auto or software</source>
        <translation>--decoder auto oder software verwenden</translation>
    </message>
    <message>
        <source>convert it to H.264</source>
        <translation>in H.264 umwandeln</translation>
    </message>
    <message>
        <source>frames in the format %1 are not supported</source>
        <translation>Bilder im Format %1 sind nicht möglich</translation>
    </message>
    <message>
        <source>this OpenCV was built without GStreamer</source>
        <translation>Dieses OpenCV kennt GStreamer nicht</translation>
    </message>
    <message>
        <source>the pipeline is empty</source>
        <translation>Die Pipeline ist leer</translation>
    </message>
    <message>
        <source>the pipeline did not start in time</source>
        <translation>Die Pipeline hat nicht rechtzeitig begonnen</translation>
    </message>
    <message>
        <source>test it with gst-launch-1.0 and autovideosink at its end</source>
        <translation>mit gst-launch-1.0 und autovideosink am Ende prüfen</translation>
    </message>
    <message>
        <source>not a camera number</source>
        <translation>keine Nummer einer Kamera</translation>
    </message>
    <message>
        <source>use camera:0 for the first one</source>
        <translation>camera:0 ist die erste</translation>
    </message>
    <message>
        <source>cannot read the image: %1</source>
        <translation>Das Bild ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>animated WebP is not supported</source>
        <translation>Animiertes WebP ist nicht möglich</translation>
    </message>
    <message>
        <source>convert it to GIF or MP4</source>
        <translation>in GIF oder MP4 umwandeln</translation>
    </message>
    <message>
        <source>the image header is damaged</source>
        <translation>Der Kopf des Bildes ist beschädigt</translation>
    </message>
    <message>
        <source>the image cannot be decoded: %1</source>
        <translation>Das Bild lässt sich nicht decodieren: %1</translation>
    </message>
    <message>
        <source>the image cannot be decoded</source>
        <translation>Das Bild lässt sich nicht decodieren</translation>
    </message>
    <message>
        <source>the file is larger than 512 megabytes</source>
        <translation>Die Datei ist größer als 512 Megabyte</translation>
    </message>
    <message>
        <source>none of the %1 images in the folder can be read</source>
        <translation>keines der %1 Bilder im Ordner ist lesbar</translation>
    </message>
    <message>
        <source>cannot read the folder: %1</source>
        <translation>Der Ordner ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>the stream has ended</source>
        <translation>Der Stream ist zu Ende</translation>
    </message>
    <message>
        <source>the sender restarts it from the same frame</source>
        <translation>Der Sender beginnt ihn vom selben Bild an neu</translation>
    </message>
    <message>
        <source>reconnecting failed</source>
        <translation>neue Verbindung gescheitert</translation>
    </message>
    <message>
        <source>check the device or the sender, then open the source again</source>
        <translation>Gerät oder Sender prüfen, dann die Quelle neu öffnen</translation>
    </message>
    <message>
        <source>invalid value &apos;%1&apos;</source>
        <translation>ungültiger Wert '%1'</translation>
    </message>
    <message>
        <source>unknown option &apos;%1&apos;</source>
        <translation>unbekannte Angabe '%1'</translation>
    </message>
    <message>
        <source>model file not found</source>
        <translation>Modelldatei nicht gefunden</translation>
    </message>
    <message>
        <source>no model of this name found</source>
        <translation>kein Modell dieses Namens gefunden</translation>
    </message>
    <message>
        <source>larger than 64 MiB, too large for a cascade</source>
        <translation>größer als 64 MiB, zu groß für eine Kaskade</translation>
    </message>
    <message>
        <source>not XML: %1</source>
        <translation>kein XML: %1</translation>
    </message>
    <message>
        <source>the cascade is damaged or not supported</source>
        <translation>Die Kaskade ist beschädigt oder anderer Art</translation>
    </message>
    <message>
        <source>is not an ONNX model</source>
        <translation>ist kein ONNX-Modell</translation>
    </message>
    <message>
        <source>is a truncated or damaged ONNX model of %1 bytes</source>
        <translation>ist ein unvollständiges oder beschädigtes ONNX-Modell von %1 Bytes</translation>
    </message>
    <message>
        <source>is too large for a %1: more than %2 bytes</source>
        <translation>ist zu groß (%1): mehr als %2 Bytes</translation>
    </message>
    <message>
        <source>use a YuNet or UltraFace model, see `throng models`</source>
        <translation>ein Modell YuNet oder UltraFace verwenden, siehe `throng models`</translation>
    </message>
    <message>
        <source>download the file again</source>
        <translation>die Datei noch einmal herunterladen</translation>
    </message>
    <message>
        <source>`throng models` lists sizes and checksums</source>
        <translation>`throng models` nennt Größen und Prüfsummen</translation>
    </message>
    <message>
        <source>is a web page, not a model</source>
        <translation>ist eine Webseite, kein Modell</translation>
    </message>
    <message>
        <source>the %1 backend failed</source>
        <translation>Das Backend %1 ist ausgefallen</translation>
    </message>
    <message>
        <source>continuing with %1: %2</source>
        <translation>weiter mit %1: %2</translation>
    </message>
    <message>
        <source>%1 frame dropped</source>
        <translation>%1 Bild verworfen</translation>
    </message>
    <message>
        <source>%1 frames dropped</source>
        <translation>%1 Bilder verworfen</translation>
    </message>
    <message>
        <source>cannot create the file: %1</source>
        <translation>Die Datei lässt sich nicht anlegen: %1</translation>
    </message>
    <message>
        <source>cannot write: %1</source>
        <translation>nicht schreibbar: %1</translation>
    </message>
    <message>
        <source>cannot create the folder: %1</source>
        <translation>Der Ordner lässt sich nicht anlegen: %1</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>Der Datenträger ist voll</translation>
    </message>
    <message>
        <source>the file size limit is reached</source>
        <translation>Die größte erlaubte Datei ist erreicht</translation>
    </message>
    <message>
        <source>check the folder and its permissions</source>
        <translation>Ordner und Rechte prüfen</translation>
    </message>
    <message>
        <source>check the folder</source>
        <translation>Ordner prüfen</translation>
    </message>
    <message>
        <source>another program is writing this file</source>
        <translation>Ein anderes Programm schreibt diese Datei</translation>
    </message>
    <message>
        <source>choose another file</source>
        <translation>eine andere Datei wählen</translation>
    </message>
    <message>
        <source>is a folder</source>
        <translation>ist ein Ordner</translation>
    </message>
    <message>
        <source>choose a file</source>
        <translation>eine Datei wählen</translation>
    </message>
    <message>
        <source>unknown video file extension</source>
        <translation>unbekannte Endung für ein Video</translation>
    </message>
    <message>
        <source>use a name that ends in .mp4 or .mkv</source>
        <translation>ein Name mit .mp4 oder .mkv am Ende</translation>
    </message>
    <message>
        <source>this FFmpeg build cannot write %1</source>
        <translation>Dieses FFmpeg kann %1 nicht schreiben</translation>
    </message>
    <message>
        <source>this FFmpeg build has no video encoder</source>
        <translation>Dieses FFmpeg hat keinen Encoder für Video</translation>
    </message>
    <message>
        <source>install libx264</source>
        <translation>libx264 installieren</translation>
    </message>
    <message>
        <source>a video of %1 pixels cannot be encoded</source>
        <translation>Ein Video von %1 Pixeln lässt sich nicht codieren</translation>
    </message>
    <message>
        <source>write images instead</source>
        <translation>stattdessen Bilder schreiben</translation>
    </message>
    <message>
        <source>the recording contains no frames</source>
        <translation>Die Aufnahme enthält keine Bilder</translation>
    </message>
    <message>
        <source>record while the source is playing</source>
        <translation>während der Wiedergabe aufnehmen</translation>
    </message>
    <message>
        <source>a zone needs at least 3 points</source>
        <translation>Eine Zone braucht mindestens 3 Punkte</translation>
    </message>
    <message>
        <source>a line needs 2 points</source>
        <translation>Eine Linie braucht 2 Punkte</translation>
    </message>
    <message>
        <source>click the points in the image</source>
        <translation>die Punkte im Bild anklicken</translation>
    </message>
    <message>
        <source>cannot read the %1: %2</source>
        <translation>%1 nicht lesbar: %2</translation>
    </message>
    <message>
        <source>file of lines and zones</source>
        <translation>Datei mit Linien und Zonen</translation>
    </message>
    <message>
        <source>cannot save the lines and zones</source>
        <translation>Linien und Zonen lassen sich nicht speichern</translation>
    </message>
    <message>
        <source>the file was changed by another program</source>
        <translation>Ein anderes Programm hat die Datei geändert</translation>
    </message>
    <message>
        <source>reload it, or save the lines and zones to another file</source>
        <translation>neu laden, oder in eine andere Datei speichern</translation>
    </message>
    <message>
        <source>a clock sweep needs at least two clock profiles</source>
        <translation>Eine Messreihe braucht mindestens zwei Taktprofile</translation>
    </message>
    <message>
        <source>a clock sweep needs a running video</source>
        <translation>Eine Messreihe braucht ein laufendes Video</translation>
    </message>
    <message>
        <source>open a video or a camera, or start playback</source>
        <translation>ein Video oder eine Kamera öffnen, oder abspielen</translation>
    </message>
    <message>
        <source>not a clock step of this board</source>
        <translation>kein Takt dieses Boards</translation>
    </message>
    <message>
        <source>this machine has no cpufreq</source>
        <translation>Diese Maschine hat kein cpufreq</translation>
    </message>
    <message>
        <source>the governor did not change</source>
        <translation>Der Governor hat sich nicht geändert</translation>
    </message>
    <message>
        <source>no GPU found</source>
        <translation>keine GPU gefunden</translation>
    </message>
    <message>
        <source>the board does not accept this value</source>
        <translation>Das Board nimmt den Wert nicht an</translation>
    </message>
    <message>
        <source>this kernel has no such control</source>
        <translation>Dieser Kernel hat das nicht</translation>
    </message>
    <message>
        <source>the clock cannot be read back</source>
        <translation>Der Takt ist nicht lesbar</translation>
    </message>
    <message>
        <source>the GPU runs at %1 MHz: it is throttled</source>
        <translation>Die GPU läuft mit %1 MHz: Sie ist gedrosselt</translation>
    </message>
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
        <source>Haar cascade</source>
        <translation>Haar-Kaskade</translation>
    </message>
    <message>
        <source>LBP cascade</source>
        <translation>LBP-Kaskade</translation>
    </message>
    <message>
        <source>HOG people</source>
        <translation>HOG-Personen</translation>
    </message>
    <message>
        <source>CNN faces</source>
        <translation>CNN-Gesichter</translation>
    </message>
    <message>
        <source>Frontal faces from 20 pixels; fast on crowds</source>
        <translation>Gesichter von vorn ab 20 Pixeln; schnell bei Mengen</translation>
    </message>
    <message>
        <source>Frontal faces from 24 pixels; faster and less reliable than Haar</source>
        <translation>Gesichter von vorn ab 24 Pixeln; schneller und weniger zuverlässig als Haar</translation>
    </message>
    <message>
        <source>Standing or walking people, from 128 pixels in height (64 in an enlarged image)</source>
        <translation>Stehende oder gehende Personen ab 128 Pixeln Höhe (64 im vergrößerten Bild)</translation>
    </message>
    <message>
        <source>Small, rotated and partly hidden faces from 10 pixels; the most accurate</source>
        <translation>Kleine, gedrehte und teils verdeckte Gesichter ab 10 Pixeln; am genauesten</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>Minimum</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximum</translation>
    </message>
    <message>
        <source>Fanless</source>
        <translation>Lüfterlos</translation>
    </message>
    <message>
        <source>Decode</source>
        <translation>Decodieren</translation>
    </message>
    <message>
        <source>Upload</source>
        <translation>Übertragen</translation>
    </message>
    <message>
        <source>Gray</source>
        <translation>Grau</translation>
    </message>
    <message>
        <source>Pyramid</source>
        <translation>Pyramide</translation>
    </message>
    <message>
        <source>Integral</source>
        <translation>Integralbild</translation>
    </message>
    <message>
        <source>Cascade</source>
        <translation>Kaskade</translation>
    </message>
    <message>
        <source>Gradient</source>
        <translation>Gradient</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>Histogramm</translation>
    </message>
    <message>
        <source>Normalize</source>
        <translation>Normieren</translation>
    </message>
    <message>
        <source>Preprocess</source>
        <translation>Vorbereiten</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Boxes</source>
        <translation>Rahmen</translation>
    </message>
    <message>
        <source>NMS order</source>
        <translation>NMS-Sortierung</translation>
    </message>
    <message>
        <source>NMS map</source>
        <translation>NMS map</translation>
    </message>
    <message>
        <source>NMS reduce</source>
        <translation>NMS reduce</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Rückholen</translation>
    </message>
    <message>
        <source>Track</source>
        <translation>Verfolgen</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Gesamt</translation>
    </message>
    <message>
        <source>one-pass</source>
        <translation>ein Durchgang</translation>
    </message>
    <message>
        <source>greedy</source>
        <translation>gierig</translation>
    </message>
    <message>
        <source>soft-linear</source>
        <translation>weich, linear</translation>
    </message>
    <message>
        <source>soft-gaussian</source>
        <translation>weich, Gauß</translation>
    </message>
    <message>
        <source>iou</source>
        <translation>IoU</translation>
    </message>
    <message>
        <source>suppressor</source>
        <translation>am Unterdrücker</translation>
    </message>
    <message>
        <source>min</source>
        <translation>am kleineren</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>weighted</source>
        <translation>gewichtet</translation>
    </message>
    <message>
        <source>fast</source>
        <translation>schnell</translation>
    </message>
    <message>
        <source>paper</source>
        <translation>Artikel</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>native: the frame at all scales that the sizes require; letterbox: once, at the model&apos;s input size</source>
        <translation>ganz: das Bild in allen Größen, die gesucht werden; eingepasst: einmal, in der Größe des Modells</translation>
    </message>
    <message>
        <source>The frame at the scales for the requested face sizes, or once at the model&apos;s own input size.</source>
        <translation>Das Bild in allen Größen, die gesucht werden, oder einmal in der Größe des Modells.</translation>
    </message>
    <message>
        <source>native</source>
        <translation>ganz</translation>
    </message>
    <message>
        <source>letterbox</source>
        <translation>eingepasst</translation>
    </message>
    <message>
        <source>Fused layers</source>
        <translation>Verschmolzene Schichten</translation>
    </message>
    <message>
        <source>Convolutions, pooling, sums and heads are fused: fewer maps are written to memory.</source>
        <translation>Faltungen, Pooling, Summen und Ausgaben sind verschmolzen: Weniger Karten gehen in den Speicher.</translation>
    </message>
    <message>
        <source>CUDA graph</source>
        <translation>CUDA-Graph</translation>
    </message>
    <message>
        <source>All layers are enqueued with one call.</source>
        <translation>Ein Aufruf startet alle Schichten.</translation>
    </message>
    <message>
        <source>Overlapping launches</source>
        <translation>Überlappende Starts</translation>
    </message>
    <message>
        <source>A kernel is set up while the previous one finishes.</source>
        <translation>Ein Kernel wird vorbereitet, während der vorige endet.</translation>
    </message>
    <message>
        <source>Shared launches</source>
        <translation>Gemeinsame Starts</translation>
    </message>
    <message>
        <source>Frames of several sources on one GPU are processed in batches.</source>
        <translation>Bilder mehrerer Quellen auf einer GPU werden in Stapeln verarbeitet.</translation>
    </message>
    <message>
        <source>Stages in segments</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Remaining windows are collected in queues between segments of stages, so that no thread idles.</source>
        <translation>Zwischen den Abschnitten sammeln Warteschlangen die übrigen Fenster, damit kein Thread ruht.</translation>
    </message>
    <message>
        <source>Scales</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>All scales in one launch keep the device busy; one scale at a time leaves it nearly idle.</source>
        <translation>Alle Größen in einem Start lasten die GPU aus; eine nach der anderen lässt sie fast ruhen.</translation>
    </message>
    <message>
        <source>together</source>
        <translation>zusammen</translation>
    </message>
    <message>
        <source>streams</source>
        <translation>Streams</translation>
    </message>
    <message>
        <source>sequential</source>
        <translation>einzeln</translation>
    </message>
    <message>
        <source>First useful scale</source>
        <translation>Erste nötige Größe</translation>
    </message>
    <message>
        <source>The pyramid starts at the smallest face size searched for.</source>
        <translation>Die Pyramide beginnt bei der kleinsten gesuchten Größe.</translation>
    </message>
    <message>
        <source>Features</source>
        <translation>Merkmale</translation>
    </message>
    <message>
        <source>The corners of a feature&apos;s rectangles are stored as offsets instead of computed for every window.</source>
        <translation>Die Ecken der Rechtecke eines Merkmals sind als Abstände gespeichert, statt für jedes Fenster berechnet.</translation>
    </message>
    <message>
        <source>offsets</source>
        <translation>Abstände</translation>
    </message>
    <message>
        <source>geometry</source>
        <translation>Geometrie</translation>
    </message>
    <message>
        <source>Pairs in shared memory</source>
        <translation>Paare im Shared Memory</translation>
    </message>
    <message>
        <source>A thread evaluates two neighboring windows at once, whose sums share the words of shared memory.</source>
        <translation>Ein Thread prüft zwei Nachbarfenster zugleich, deren Summen dieselben Wörter des Shared Memory nutzen.</translation>
    </message>
    <message>
        <source>One warp per pair</source>
        <translation>Ein Warp je Paar</translation>
    </message>
    <message>
        <source>In the last stages, where few windows remain, 32 threads share two windows.</source>
        <translation>In den letzten Stufen, mit wenigen Fenstern, teilen sich 32 Threads zwei Fenster.</translation>
    </message>
    <message>
        <source>Candidate mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>Only windows with enough skin color, or in a region of interest, are evaluated.</source>
        <translation>Nur Fenster mit genug Hautfarbe oder in einem gewählten Bereich werden geprüft.</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>skin</source>
        <translation>Haut</translation>
    </message>
    <message>
        <source>Stride</source>
        <translation>Schrittweite</translation>
    </message>
    <message>
        <source>Only every n-th window is evaluated first, then all windows around those that pass.</source>
        <translation>Erst wird nur jedes n-te Fenster geprüft, dann alle um die, die bestehen.</translation>
    </message>
    <message>
        <source>A frame&apos;s launches are replayed as one; the cascade then reports one time for all of them.</source>
        <translation>Die Starts eines Bildes laufen als einer ab; die Kaskade nennt dann eine Zeit für alle.</translation>
    </message>
    <message>
        <source>Results per thread</source>
        <translation>Je Thread</translation>
    </message>
    <message>
        <source>A thread computes 4 pixels, 3 bins or 4 windows, so that each value read is used several times.</source>
        <translation>Ein Thread berechnet 4 Pixel, 3 Klassen oder 4 Fenster: Jeder gelesene Wert wird mehrmals genutzt.</translation>
    </message>
    <message>
        <source>several</source>
        <translation>mehrere</translation>
    </message>
    <message>
        <source>one</source>
        <translation>eins</translation>
    </message>
    <message>
        <source>Approximate arc tangent</source>
        <translation>Arkustangens</translation>
    </message>
    <message>
        <source>A polynomial with an error of at most 0.0112 degrees replaces the library&apos;s function.</source>
        <translation>Ein Polynom mit höchstens 0,0112 Grad Fehler ersetzt die Funktion der Bibliothek.</translation>
    </message>
    <message>
        <source>polynomial</source>
        <translation>Polynom</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>exakt</translation>
    </message>
    <message>
        <source>Unrolled loops</source>
        <translation>Ausgerollte Schleifen</translation>
    </message>
    <message>
        <source>Kernels are specialized for these cells, blocks and windows: constant weights, wide loads, no loop counters.</source>
        <translation>Kernel nur für diese Zellen, Blöcke und Fenster: feste Gewichte, breite Zugriffe, keine Schleifenzähler.</translation>
    </message>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>All scales in one launch</source>
        <translation>Alle Größen</translation>
    </message>
    <message>
        <source>Small levels alone leave the device nearly idle.</source>
        <translation>Kleine Stufen allein lassen die GPU fast ruhen.</translation>
    </message>
    <message>
        <source>apart</source>
        <translation>einzeln</translation>
    </message>
    <message>
        <source>A frame&apos;s launches are replayed with one call; its stages then have one common time.</source>
        <translation>Ein Aufruf startet alles für ein Bild; seine Stufen haben dann eine gemeinsame Zeit.</translation>
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
        <source>Repeat a part: start, end, off</source>
        <translation>Teil wiederholen</translation>
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
        <translation>Diese Liste der Tasten</translation>
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
        <source>Blur faces</source>
        <translation>Gesichter verbergen</translation>
    </message>
    <message>
        <source>Map of stages on or off</source>
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
        <translation>Demo-Menge</translation>
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
        <translation>Demo-Menge</translation>
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
    <name>throng::ui::Session</name>
    <message>
        <source>This machine is too slow: %1</source>
        <translation>Dieser Rechner ist zu langsam: %1</translation>
    </message>
    <message>
        <source>%1: %2 ms per frame; using it. Key %3 changes it</source>
        <translation>%1: %2 ms je Bild; wird verwendet. Taste %3 wechselt</translation>
    </message>
    <message>
        <source>%1: %2 ms per frame, too slow here; using %3. Key %4 changes it</source>
        <translation>%1: %2 ms je Bild, hier zu langsam; verwendet wird %3. Taste %4 wechselt</translation>
    </message>
    <message>
        <source>previous optimizations</source>
        <translation>bisherige Optimierungen</translation>
    </message>
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
