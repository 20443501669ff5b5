<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
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
        <translation>Dieser Rechner hat keinen einstellbaren GPU-Takt</translation>
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
        <source>drawn crowd of %1, %2x%3</source>
        <translation>gezeichnetes Publikum, %1 Gesichter, %2x%3</translation>
    </message>
    <message>
        <source>image %1x%2</source>
        <translation>Bild %1x%2</translation>
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
        <source>orders equal scores differently, drops scores of 0 or less, always uses the IoU</source>
        <translation>ordnet gleiche Werte anders, verwirft Werte bis 0, verwendet immer die IoU</translation>
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
        <source>no frame can be decoded</source>
        <translation>kein Bild lässt sich decodieren</translation>
    </message>
    <message>
        <source>cannot be reached: %1</source>
        <translation>nicht erreichbar: %1</translation>
    </message>
    <message>
        <source>no data for %1 s</source>
        <translation>keine Daten seit %1 s</translation>
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
        <source>no answer within %1 s</source>
        <translation>keine Antwort innerhalb von %1 s</translation>
    </message>
    <message>
        <source>check the address, the network and whether the sender is running</source>
        <translation>Adresse, Netz und Sender prüfen</translation>
    </message>
    <message>
        <source>the server rejected the user name or password</source>
        <translation>Der Server lehnt Benutzername oder Passwort ab</translation>
    </message>
    <message>
        <source>the server requires a user name and a password</source>
        <translation>Der Server verlangt Benutzername und Passwort</translation>
    </message>
    <message>
        <source>put user:password@ before the host</source>
        <translation>Benutzername:Passwort@ vor den Rechnernamen schreiben</translation>
    </message>
    <message>
        <source>the server denied access</source>
        <translation>Der Server verweigert den Zugriff</translation>
    </message>
    <message>
        <source>check the user name and the password</source>
        <translation>Benutzername und Passwort prüfen</translation>
    </message>
    <message>
        <source>not found on the server</source>
        <translation>auf dem Server nicht vorhanden</translation>
    </message>
    <message>
        <source>check the path after the host</source>
        <translation>Pfad nach dem Rechnernamen prüfen</translation>
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
        <translation>Die Verbindung oder der Sender reagiert nicht mehr</translation>
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
        <source>the host name was not resolved within %1 s</source>
        <translation>Der Rechnername ließ sich in %1 s nicht auflösen</translation>
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
        <source>the frame is too large: %1x%2 pixels</source>
        <translation>Das Bild ist zu groß: %1x%2 Pixel</translation>
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
        <source>convert it to H.264</source>
        <translation>in H.264 umwandeln</translation>
    </message>
    <message>
        <source>frames in the format %1 are not supported</source>
        <translation>Bilder im Format %1 werden nicht unterstützt</translation>
    </message>
    <message>
        <source>this build has no GStreamer</source>
        <translation>Dieses Programm wurde ohne GStreamer gebaut</translation>
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
        <source>the camera gives no frame</source>
        <translation>Die Kamera liefert kein Bild</translation>
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
        <source>for example csi:0,size=1920x1080,fps=30</source>
        <translation>zum Beispiel csi:0,size=1920x1080,fps=30</translation>
    </message>
    <message>
        <source>a CSI camera needs a Jetson board with its GStreamer elements (nvidia-l4t-gstreamer)</source>
        <translation>Eine CSI-Kamera braucht ein Jetson-Board mit seinen GStreamer-Elementen (nvidia-l4t-gstreamer)</translation>
    </message>
    <message>
        <source>cannot read the image: %1</source>
        <translation>Das Bild ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>animated WebP is not supported</source>
        <translation>Animiertes WebP wird nicht unterstützt</translation>
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
        <source>name a cascade of OpenCV, or use %1 for a network</source>
        <translation>eine Kaskade von OpenCV nennen, oder %1 für ein Netz verwenden</translation>
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
        <source>use a YuNet, UltraFace, RetinaFace or YOLOX model, see `throng models`</source>
        <translation>ein Modell YuNet, UltraFace, RetinaFace oder YOLOX verwenden, siehe `throng models`</translation>
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
        <source>cannot create the file</source>
        <translation>Die Datei lässt sich nicht anlegen</translation>
    </message>
    <message>
        <source>cannot write</source>
        <translation>nicht schreibbar</translation>
    </message>
    <message>
        <source>was there before, and is not replaced</source>
        <translation>war schon vorher da und wird nicht ersetzt</translation>
    </message>
    <message>
        <source>move it away, or name another folder for %1</source>
        <translation>Datei verschieben oder mit %1 einen anderen Ordner angeben</translation>
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
        <source>the current folder was removed</source>
        <translation>der aktuelle Ordner wurde entfernt</translation>
    </message>
    <message>
        <source>change to another one</source>
        <translation>in einen anderen wechseln</translation>
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
        <translation>unbekannte Endung einer Videodatei</translation>
    </message>
    <message>
        <source>use a name that ends in .mp4 or .mkv</source>
        <translation>einen Namen mit .mp4 oder .mkv am Ende verwenden</translation>
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
        <translation>Dieser Rechner hat kein cpufreq</translation>
    </message>
    <message>
        <source>the governor did not change</source>
        <translation>Der Governor hat sich nicht geändert</translation>
    </message>
    <message>
        <source>this board lists no steps of this clock</source>
        <translation>Dieses Board nennt keine Stufen dieses Takts</translation>
    </message>
    <message>
        <source>its files cannot be read</source>
        <translation>Seine Dateien sind nicht lesbar</translation>
    </message>
    <message>
        <source>run this as the user who changed the clocks</source>
        <translation>als der Benutzer ausführen, der die Takte geändert hat</translation>
    </message>
    <message>
        <source>no memory clock found</source>
        <translation>keinen Speichertakt gefunden</translation>
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
        <source>Haar cascade</source>
        <translation>Haar-Kaskade</translation>
    </message>
    <message>
        <source>LBP cascade</source>
        <translation>LBP-Kaskade</translation>
    </message>
    <message>
        <source>HOG people detector</source>
        <translation>HOG-Personendetektor</translation>
    </message>
    <message>
        <source>CNN face detector</source>
        <translation>CNN-Gesichtsdetektor</translation>
    </message>
    <message>
        <source>YOLOX people detector</source>
        <translation>YOLOX-Personendetektor</translation>
    </message>
    <message>
        <source>YOLOX and CNN detectors</source>
        <translation>YOLOX- und CNN-Detektor</translation>
    </message>
    <message>
        <source>Frontal faces from 20 pixels; fast on crowds</source>
        <translation>Gesichter von vorn ab 20 Pixeln; schnell bei vielen Gesichtern</translation>
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
        <source>People in any posture from 16 pixels, also partly hidden; the most accurate for people</source>
        <translation>Personen in jeder Haltung ab 16 Pixeln, auch teils verdeckt; am genauesten für Personen</translation>
    </message>
    <message>
        <source>People as person finds them, and their faces as cnn finds them: who faces the camera</source>
        <translation>Personen, wie person sie findet, und ihre Gesichter, wie cnn sie findet: wer zur Kamera blickt</translation>
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
        <source>A frame&apos;s launches, up to the copy of its detections, are replayed with one call, except where stages are measured.</source>
        <translation>Alle Starts eines Bildes, bis zur Kopie der Funde, werden mit einem Aufruf wiederholt, außer wo Stufen gemessen werden.</translation>
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
        <source>A frame&apos;s launches, up to the copy of its detections, are replayed with one call, except where stages are measured.</source>
        <translation>Alle Starts eines Bildes, bis zur Kopie der Funde, werden mit einem Aufruf wiederholt, außer wo Stufen gemessen werden.</translation>
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
        <source>A frame&apos;s launches, up to the copy of its detections, are replayed with one call, except where stages are measured.</source>
        <translation>Alle Starts eines Bildes, bis zur Kopie der Funde, werden mit einem Aufruf wiederholt, außer wo Stufen gemessen werden.</translation>
    </message>
    <message>
        <source>CUDA is unavailable: %1</source>
        <translation>CUDA ist nicht verfügbar: %1</translation>
    </message>
    <message>
        <source>applies to detect --out only</source>
        <translation>gilt nur für detect --out</translation>
    </message>
    <message>
        <source>name one device</source>
        <translation>ein Gerät nennen</translation>
    </message>
    <message>
        <source>CUDA backend unavailable: %1</source>
        <translation>Das CUDA-Backend ist nicht verfügbar: %1</translation>
    </message>
    <message>
        <source>use %1 to run on the CPU</source>
        <translation>%1 verwenden, um auf der CPU zu rechnen</translation>
    </message>
    <message>
        <source>is a device</source>
        <translation>ist ein Gerät</translation>
    </message>
    <message>
        <source>name a file</source>
        <translation>eine Datei nennen</translation>
    </message>
    <message>
        <source>cannot be read: %1</source>
        <translation>nicht lesbar: %1</translation>
    </message>
    <message>
        <source>the line is longer than %1 bytes</source>
        <translation>Die Zeile ist länger als %1 Byte</translation>
    </message>
    <message>
        <source>check that it is the right file: its lines must end with line feeds</source>
        <translation>Prüfen, ob es die richtige Datei ist: Ihre Zeilen müssen mit Zeilenumbrüchen enden</translation>
    </message>
    <message>
        <source>file of its kind</source>
        <translation>Datei dieser Art</translation>
    </message>
    <message>
        <source>is not a regular file</source>
        <translation>ist keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>names a pipe or a device: %1</source>
        <translation>nennt eine Pipe oder ein Gerät: %1</translation>
    </message>
    <message>
        <source>the file changed while it was read</source>
        <translation>Die Datei hat sich während des Lesens geändert</translation>
    </message>
    <message>
        <source>process it again</source>
        <translation>erneut verarbeiten</translation>
    </message>
    <message>
        <source>the name of an output is empty</source>
        <translation>Der Name einer Ausgabe ist leer</translation>
    </message>
    <message>
        <source>the name of an output folder is empty</source>
        <translation>Der Name eines Ausgabeordners ist leer</translation>
    </message>
    <message>
        <source>is not a folder</source>
        <translation>ist kein Ordner</translation>
    </message>
    <message>
        <source>choose a folder</source>
        <translation>einen Ordner wählen</translation>
    </message>
    <message>
        <source>cannot write the file</source>
        <translation>Die Datei ist nicht schreibbar</translation>
    </message>
    <message>
        <source>cannot write to the folder</source>
        <translation>Der Ordner ist nicht schreibbar</translation>
    </message>
    <message>
        <source>cannot truncate the file</source>
        <translation>Die Datei lässt sich nicht kürzen</translation>
    </message>
    <message>
        <source>unknown clock profile</source>
        <translation>unbekanntes Taktprofil</translation>
    </message>
    <message>
        <source>use one of %1</source>
        <translation>eines von %1 verwenden</translation>
    </message>
    <message>
        <source>cannot save the current clocks: %1</source>
        <translation>Die aktuellen Takte lassen sich nicht sichern: %1</translation>
    </message>
    <message>
        <source>the folder is a link or belongs to another user</source>
        <translation>der Ordner ist ein Link oder gehört einem anderen Benutzer</translation>
    </message>
    <message>
        <source>no clock was changed</source>
        <translation>kein Takt wurde geändert</translation>
    </message>
    <message>
        <source>cannot read the clock profiles</source>
        <translation>Die Taktprofile lassen sich nicht lesen</translation>
    </message>
    <message>
        <source>see configs/clock-profiles.toml for an example</source>
        <translation>ein Beispiel steht in configs/clock-profiles.toml</translation>
    </message>
    <message>
        <source>the size of the image is missing</source>
        <translation>Die Größe des Bildes fehlt</translation>
    </message>
    <message>
        <source>add size = [1920, 1080]</source>
        <translation>size = [1920, 1080] ergänzen</translation>
    </message>
    <message>
        <source>the network needs too much memory for this input size</source>
        <translation>Das Netz braucht bei dieser Eingangsgröße zu viel Speicher</translation>
    </message>
    <message>
        <source>raise %1</source>
        <translation>%1 erhöhen</translation>
    </message>
    <message>
        <source>is an LBP cascade, not a Haar one</source>
        <translation>ist eine LBP-Kaskade, keine Haar-Kaskade</translation>
    </message>
    <message>
        <source>is a Haar cascade, not an LBP one</source>
        <translation>ist eine Haar-Kaskade, keine LBP-Kaskade</translation>
    </message>
    <message>
        <source>use %1</source>
        <translation>%1 verwenden</translation>
    </message>
    <message>
        <source>does not apply to %1</source>
        <translation>gilt nicht für %1</translation>
    </message>
    <message>
        <source>use %1 or %2</source>
        <translation>%1 oder %2 verwenden</translation>
    </message>
    <message>
        <source>detector not available on the CPU backend</source>
        <translation>Das CPU-Backend hat diesen Detektor nicht</translation>
    </message>
    <message>
        <source>the CPU people detector has no switches</source>
        <translation>Der Personendetektor der CPU hat keine Schalter</translation>
    </message>
    <message>
        <source>the detections have no %1</source>
        <translation>Den Detektionen fehlt %1</translation>
    </message>
    <message>
        <source>use detections that have it, or %1</source>
        <translation>andere Detektionen oder %1 verwenden</translation>
    </message>
    <message>
        <source>is empty: there is neither a header nor a row</source>
        <translation>ist leer: weder Kopfzeile noch Daten</translation>
    </message>
    <message>
        <source>must be a number from %1 to %2, not "%3"</source>
        <translation>muss eine Zahl von %1 bis %2 sein, nicht "%3"</translation>
    </message>
    <message>
        <source>must be a whole number from %1 to %2, not "%3"</source>
        <translation>muss eine ganze Zahl von %1 bis %2 sein, nicht "%3"</translation>
    </message>
    <message>
        <source>must be one of %1, not "%2"</source>
        <translation>muss eines von %1 sein, nicht "%2"</translation>
    </message>
    <message>
        <source>must have the form ID=CHOICE, not "%1"</source>
        <translation>muss die Form ID=CHOICE haben, nicht "%1"</translation>
    </message>
    <message>
        <source>exceeds %1</source>
        <translation>ist größer als %1</translation>
    </message>
    <message>
        <source>no setting has this name</source>
        <translation>keine Einstellung heißt so</translation>
    </message>
    <message>
        <source>must be a multiple of %1 for the paper's kernels</source>
        <translation>muss für die Kernel des Artikels ein Vielfaches von %1 sein</translation>
    </message>
    <message>
        <source>is smaller than %1</source>
        <translation>ist kleiner als %1</translation>
    </message>
    <message>
        <source>must lie in [0, 1]</source>
        <translation>muss in [0, 1] liegen</translation>
    </message>
    <message>
        <source>must be at least 1</source>
        <translation>muss mindestens 1 sein</translation>
    </message>
    <message>
        <source>must be greater than 0</source>
        <translation>muss größer als 0 sein</translation>
    </message>
    <message>
        <source>must be a finite number</source>
        <translation>muss eine endliche Zahl sein</translation>
    </message>
    <message>
        <source>soft rules and the adaptive and feature pair rules require iou</source>
        <translation>Weiche Regeln und die Paarregeln adaptive und feature verlangen iou</translation>
    </message>
    <message>
        <source>adaptive and feature require the rule one-pass or greedy</source>
        <translation>adaptive und feature verlangen die Regel one-pass oder greedy</translation>
    </message>
    <message>
        <source>must be 1 with a soft rule, which suppresses nothing</source>
        <translation>muss bei einer weichen Regel 1 sein, denn sie unterdrückt nichts</translation>
    </message>
    <message>
        <source>must be none with a soft rule, which suppresses nothing</source>
        <translation>muss bei einer weichen Regel none sein, denn sie unterdrückt nichts</translation>
    </message>
    <message>
        <source>must be total with a soft rule, which changes scores</source>
        <translation>muss bei einer weichen Regel total sein, denn sie ändert die Werte</translation>
    </message>
    <message>
        <source>must be at-least with a soft rule and with the adaptive and feature pair rules</source>
        <translation>muss bei weichen Regeln und den Paarregeln adaptive und feature at-least sein</translation>
    </message>
    <message>
        <source>the paper&apos;s kernels implement only the one-pass rule</source>
        <translation>Die Kernel des Artikels kennen nur die Regel one-pass</translation>
    </message>
    <message>
        <source>the kind and the model of a detector cannot be changed</source>
        <translation>Art und Modell eines Detektors sind nicht änderbar</translation>
    </message>
    <message>
        <source>a network has no such switch</source>
        <translation>Ein Netz hat keinen solchen Schalter</translation>
    </message>
    <message>
        <source>the only switch is %1</source>
        <translation>der einzige Schalter ist %1</translation>
    </message>
    <message>
        <source>unknown choice: %1</source>
        <translation>unbekannte Wahl: %1</translation>
    </message>
    <message>
        <source>use native or letterbox</source>
        <translation>native oder letterbox verwenden</translation>
    </message>
    <message>
        <source>must be in (0, 1] for this detector</source>
        <translation>muss bei diesem Detektor in (0, 1] liegen</translation>
    </message>
    <message>
        <source>cannot be written: %1</source>
        <translation>nicht schreibbar: %1</translation>
    </message>
    <message>
        <source>cannot be created: %1</source>
        <translation>lässt sich nicht anlegen: %1</translation>
    </message>
    <message>
        <source>no folder for models is known</source>
        <translation>Kein Ordner für Modelle ist bekannt</translation>
    </message>
    <message>
        <source>set HOME or XDG_DATA_HOME, or give %1</source>
        <translation>HOME oder XDG_DATA_HOME setzen, oder %1 angeben</translation>
    </message>
    <message>
        <source>must start with https:// or http://</source>
        <translation>muss mit https:// oder http:// beginnen</translation>
    </message>
    <message>
        <source>downloads are declined</source>
        <translation>Herunterladen ist abgelehnt</translation>
    </message>
    <message>
        <source>unset the variable, or copy the file into the model folder</source>
        <translation>die Variable löschen, oder die Datei in den Modellordner kopieren</translation>
    </message>
    <message>
        <source>is part of a package and cannot be downloaded</source>
        <translation>ist Teil eines Pakets und kann nicht geladen werden</translation>
    </message>
    <message>
        <source>install the package %1</source>
        <translation>das Paket %1 installieren</translation>
    </message>
    <message>
        <source>without it, the Haar cascade finds faces, but misses more</source>
        <translation>ohne sie findet die Haar-Kaskade Gesichter, übersieht aber mehr</translation>
    </message>
    <message>
        <source>is being downloaded by another program</source>
        <translation>wird von einem anderen Programm geladen</translation>
    </message>
    <message>
        <source>the server sends more bytes than expected</source>
        <translation>Der Server sendet mehr Bytes als erwartet</translation>
    </message>
    <message>
        <source>nothing was installed; the publisher may have changed the file</source>
        <translation>nichts wurde installiert; vielleicht hat der Herausgeber die Datei geändert</translation>
    </message>
    <message>
        <source>check the network, or download the file elsewhere and copy it to the model folder</source>
        <translation>Netz prüfen, oder die Datei anderswo laden und in den Modellordner kopieren</translation>
    </message>
    <message>
        <source>the certificate is not trusted: %1</source>
        <translation>Dem Zertifikat wird nicht vertraut: %1</translation>
    </message>
    <message>
        <source>check the system time and the installed certificates (ca-certificates)</source>
        <translation>Systemzeit und installierte Zertifikate prüfen (ca-certificates)</translation>
    </message>
    <message>
        <source>the server rejected the request with status %1</source>
        <translation>Der Server lehnte die Anfrage mit Status %1 ab</translation>
    </message>
    <message>
        <source>the publisher may have moved the file</source>
        <translation>vielleicht hat der Herausgeber die Datei verschoben</translation>
    </message>
    <message>
        <source>unsupported protocol: %1</source>
        <translation>nicht unterstütztes Protokoll: %1</translation>
    </message>
    <message>
        <source>use https</source>
        <translation>https verwenden</translation>
    </message>
    <message>
        <source>the server sent only %1 of %2 bytes</source>
        <translation>Der Server sandte nur %1 von %2 Bytes</translation>
    </message>
    <message>
        <source>run the command again to resume the download</source>
        <translation>den Befehl erneut aufrufen, um fortzufahren</translation>
    </message>
    <message>
        <source>the downloaded file is not the expected one: its checksum differs</source>
        <translation>Die geladene Datei ist nicht die erwartete: andere Prüfsumme</translation>
    </message>
    <message>
        <source>has %1 SVM coefficients instead of %2 or one more</source>
        <translation>hat %1 SVM-Koeffizienten statt %2 oder einem mehr</translation>
    </message>
    <message>
        <source>use a detector trained for a window of 64x128 pixels</source>
        <translation>einen Detektor für Fenster von 64x128 Pixeln verwenden</translation>
    </message>
    <message>
        <source>has SVM coefficients that are not finite</source>
        <translation>hat SVM-Koeffizienten, die nicht endlich sind</translation>
    </message>
    <message>
        <source>HOG model not found</source>
        <translation>HOG-Modell nicht gefunden</translation>
    </message>
    <message>
        <source>omit %1 to use OpenCV&apos;s people detector, or name a file written by cv::HOGDescriptor::save</source>
        <translation>ohne %1 gilt der Personendetektor von OpenCV; sonst eine Datei von cv::HOGDescriptor::save nennen</translation>
    </message>
    <message>
        <source>cannot be read as an OpenCV HOG descriptor: %1</source>
        <translation>als HOG-Deskriptor von OpenCV nicht lesbar: %1</translation>
    </message>
    <message>
        <source>name a file written by cv::HOGDescriptor::save, or use %1 for a network</source>
        <translation>eine Datei von cv::HOGDescriptor::save nennen, oder %1 für ein Netz verwenden</translation>
    </message>
    <message>
        <source>contains no OpenCV HOG descriptor</source>
        <translation>enthält keinen HOG-Deskriptor von OpenCV</translation>
    </message>
    <message>
        <source>is a HOG descriptor with unsupported parameters</source>
        <translation>ist ein HOG-Deskriptor mit nicht unterstützten Parametern</translation>
    </message>
    <message>
        <source>required: window 64x128, blocks 16x16 every 8 pixels, cells 8x8, 9 unsigned bins, sigma 4, L2-Hys at 0.2</source>
        <translation>nötig: Fenster 64x128, Blöcke 16x16 alle 8 Pixel, Zellen 8x8, 9 Klassen ohne Vorzeichen, Sigma 4, L2-Hys mit 0.2</translation>
    </message>
    <message>
        <source>is not one of the recommended models</source>
        <translation>ist keines der empfohlenen Modelle</translation>
    </message>
    <message>
        <source>run `throng models` for a list</source>
        <translation>`throng models` listet sie</translation>
    </message>
    <message>
        <source>did you mean %1?</source>
        <translation>Ist %1 gemeint?</translation>
    </message>
    <message>
        <source>this detector has no model file</source>
        <translation>Dieser Detektor hat keine Modelldatei</translation>
    </message>
    <message>
        <source>no model folder exists</source>
        <translation>kein Modellordner vorhanden</translation>
    </message>
    <message>
        <source>searched in %1</source>
        <translation>gesucht in %1</translation>
    </message>
    <message>
        <source>%1, set THRONG_MODELS, or give a path</source>
        <translation>%1, THRONG_MODELS setzen oder einen Pfad angeben</translation>
    </message>
    <message>
        <source>install opencv-data</source>
        <translation>opencv-data installieren</translation>
    </message>
    <message>
        <source>run `throng models fetch`</source>
        <translation>`throng models fetch` aufrufen</translation>
    </message>
    <message>
        <source>run `throng models fetch yolox_nano`</source>
        <translation>`throng models fetch yolox_nano` aufrufen</translation>
    </message>
    <message>
        <source>run `throng models fetch` and `throng models fetch yolox_nano`</source>
        <translation>`throng models fetch` und `throng models fetch yolox_nano` aufrufen</translation>
    </message>
    <message>
        <source>use %1, or name a model of %2</source>
        <translation>%1 verwenden, oder ein Modell für %2 nennen</translation>
    </message>
    <message>
        <source>finds %1, not %2</source>
        <translation>findet %1, nicht %2</translation>
    </message>
    <message>
        <source>use an input size that is a multiple of %1 pixels</source>
        <translation>eine Eingangsgröße verwenden, die ein Vielfaches von %1 Pixeln ist</translation>
    </message>
    <message>
        <source>is defined twice in the file</source>
        <translation>ist in der Datei zweimal definiert</translation>
    </message>
    <message>
        <source>download the file again; `throng models` lists sizes and checksums</source>
        <translation>Datei neu laden; `throng models` nennt Größen und Prüfsummen</translation>
    </message>
    <message>
        <source>cannot be read completely</source>
        <translation>nicht vollständig lesbar</translation>
    </message>
    <message>
        <source>the %1 detector of the %2 backend has no such switch</source>
        <translation>Der Detektor %1 des Backends %2 hat keinen solchen Schalter</translation>
    </message>
    <message>
        <source>must not be negative</source>
        <translation>darf nicht negativ sein</translation>
    </message>
    <message>
        <source>exceeds the limit of %1</source>
        <translation>überschreitet die Grenze von %1</translation>
    </message>
    <message>
        <source>written, but incomplete: %1</source>
        <translation>geschrieben, aber unvollständig: %1</translation>
    </message>
    <message>
        <source>valid options are faces, size, seed, fps, frames, motion and uncover, as in crowd:faces=60,size=1920x1080,seed=1</source>
        <translation>möglich sind faces, size, seed, fps, frames, motion und uncover, wie in crowd:faces=60,size=1920x1080,seed=1</translation>
    </message>
    <message>
        <source>this FFmpeg build cannot write animated %1</source>
        <translation>Dieses FFmpeg schreibt kein animiertes %1</translation>
    </message>
    <message>
        <source>has no audio</source>
        <translation>hat keinen Ton</translation>
    </message>
    <message>
        <source>this container cannot hold audio of the codec %1</source>
        <translation>Dieser Container nimmt keinen Ton des Codecs %1 auf</translation>
    </message>
    <message>
        <source>use a name that ends in .mkv, or %1</source>
        <translation>einen Namen mit .mkv am Ende oder %1 verwenden</translation>
    </message>
    <message>
        <source>the encoder %1 cannot encode %2x%3 pixels: %4</source>
        <translation>Der Encoder %1 kann %2x%3 Pixel nicht codieren: %4</translation>
    </message>
    <message>
        <source>H.264 has at most %1 pixels per side</source>
        <translation>H.264 hat höchstens %1 Pixel je Seite</translation>
    </message>
    <message>
        <source>cannot encode the video: %1</source>
        <translation>Das Video lässt sich nicht codieren: %1</translation>
    </message>
    <message>
        <source>an animation cannot hold audio</source>
        <translation>Eine Animation hat keinen Ton</translation>
    </message>
    <message>
        <source>this frame&apos;s format and size cannot be converted</source>
        <translation>Format und Größe dieses Bildes lassen sich nicht umwandeln</translation>
    </message>
    <message>
        <source>the pipeline did not start</source>
        <translation>Die Pipeline startete nicht</translation>
    </message>
    <message>
        <source>the pipeline failed: %1</source>
        <translation>Die Pipeline ist ausgefallen: %1</translation>
    </message>
    <message>
        <source>open the camera or stream directly: camera:0, rtsp://…</source>
        <translation>Kamera oder Stream direkt öffnen: camera:0, rtsp://…</translation>
    </message>
    <message>
        <source>for example gst:videotestsrc</source>
        <translation>zum Beispiel gst:videotestsrc</translation>
    </message>
    <message>
        <source>HEIF images of the kind &quot;%1&quot; are not supported</source>
        <translation>HEIF-Bilder der Art &quot;%1&quot; werden nicht unterstützt</translation>
    </message>
    <message>
        <source>convert it to JPEG or PNG</source>
        <translation>in JPEG oder PNG umwandeln</translation>
    </message>
    <message>
        <source>this FFmpeg build cannot decode %1</source>
        <translation>Dieses FFmpeg decodiert kein %1</translation>
    </message>
    <message>
        <source>TIFF images of this kind with transparency are not supported</source>
        <translation>TIFF-Bilder dieser Art mit Transparenz werden nicht unterstützt</translation>
    </message>
    <message>
        <source>convert it to PNG</source>
        <translation>in PNG umwandeln</translation>
    </message>
    <message>
        <source>convert the image to JPEG or PNG</source>
        <translation>das Bild in JPEG oder PNG umwandeln</translation>
    </message>
    <message>
        <source>the image is too large: %1x%2 pixels</source>
        <translation>Das Bild ist zu groß: %1x%2 Pixel</translation>
    </message>
    <message>
        <source>images of more than 256 megapixels need the CPU backend</source>
        <translation>Bilder mit mehr als 256 Megapixeln brauchen das CPU-Backend</translation>
    </message>
    <message>
        <source>the image is too large to be rotated: %1x%2 pixels</source>
        <translation>Das Bild ist zu groß, um es zu drehen: %1x%2 Pixel</translation>
    </message>
    <message>
        <source>store its pixels as they are displayed, such as with `vips autorot`</source>
        <translation>die Pixel so speichern, wie sie angezeigt werden, etwa mit `vips autorot`</translation>
    </message>
    <message>
        <source>write the PNG file without interlacing</source>
        <translation>die PNG-Datei ohne Interlacing schreiben</translation>
    </message>
    <message>
        <source>write the TIFF file with strips or tiles of fewer rows</source>
        <translation>die TIFF-Datei mit Streifen oder Kacheln aus weniger Zeilen schreiben</translation>
    </message>
    <message>
        <source>convert it to 8 bits per sample</source>
        <translation>mit 8 Bit pro Wert speichern</translation>
    </message>
    <message>
        <source>the image ended early while it was read again</source>
        <translation>Das Bild endete zu früh, als es erneut gelesen wurde</translation>
    </message>
    <message>
        <source>an image of %1x%2 pixels cannot be written in this format</source>
        <translation>Ein Bild von %1x%2 Pixeln lässt sich in diesem Format nicht schreiben</translation>
    </message>
    <message>
        <source>use a name that ends in .jpg, .png or .tif</source>
        <translation>einen Namen mit der Endung .jpg, .png oder .tif verwenden</translation>
    </message>
    <message>
        <source>has %1 pages, which cannot be written</source>
        <translation>hat %1 Seiten, die sich nicht schreiben lassen</translation>
    </message>
    <message>
        <source>split it into files of one page</source>
        <translation>in Dateien mit einer Seite teilen</translation>
    </message>
    <message>
        <source>the first: %1</source>
        <translation>das erste: %1</translation>
    </message>
    <message>
        <source>unknown image file extension</source>
        <translation>unbekannte Endung einer Bilddatei</translation>
    </message>
    <message>
        <source>use a name that ends in .png or .jpg</source>
        <translation>einen Namen mit .png oder .jpg am Ende verwenden</translation>
    </message>
    <message>
        <source>the image cannot be encoded: %1</source>
        <translation>Das Bild lässt sich nicht codieren: %1</translation>
    </message>
    <message>
        <source>the image cannot be encoded</source>
        <translation>Das Bild lässt sich nicht codieren</translation>
    </message>
    <message>
        <source>this format may not support %1x%2</source>
        <translation>dieses Format kann vielleicht kein %1x%2</translation>
    </message>
    <message>
        <source>this FFmpeg build has no support for %1</source>
        <translation>Dieses FFmpeg unterstützt %1 nicht</translation>
    </message>
    <message>
        <source>the user name or the password ends the address too early</source>
        <translation>Benutzername oder Passwort beenden die Adresse zu früh</translation>
    </message>
    <message>
        <source>%1 of %2 raw detections dropped (buffers full)</source>
        <translation>%1 von %2 Rohdetektionen verworfen (Puffer voll)</translation>
    </message>
    <message>
        <source>the data arrive too slowly: not opened within %1 s</source>
        <translation>Die Daten kommen zu langsam: nach %1 s noch nicht geöffnet</translation>
    </message>
    <message>
        <source>the stream ended</source>
        <translation>Der Stream endete</translation>
    </message>
    <message>
        <source>a required library cannot be loaded: %1</source>
        <translation>Eine benötigte Bibliothek kann nicht geladen werden: %1</translation>
    </message>
    <message>
        <source>install the package that contains it</source>
        <translation>das Paket installieren, das sie enthält</translation>
    </message>
    <message>
        <source>the library has no function %1</source>
        <translation>Die Bibliothek hat keine Funktion %1</translation>
    </message>
    <message>
        <source>install the version for this program</source>
        <translation>die Version für dieses Programm installieren</translation>
    </message>
    <message>
        <source>this image format needs a module: %1</source>
        <translation>Dieses Bildformat braucht ein Modul: %1</translation>
    </message>
    <message>
        <source>install the package throng-media of this version</source>
        <translation>das Paket throng-media dieser Version installieren</translation>
    </message>
    <message>
        <source>GStreamer cannot be initialized</source>
        <translation>GStreamer startet nicht</translation>
    </message>
    <message>
        <source>test it with gst-inspect-1.0</source>
        <translation>mit gst-inspect-1.0 prüfen</translation>
    </message>
    <message>
        <source>the pipeline is not valid: %1</source>
        <translation>Die Pipeline ist nicht gültig: %1</translation>
    </message>
    <message>
        <source>test it with gst-launch-1.0; without an appsink, &quot;! videoconvert ! appsink&quot; is added at its end</source>
        <translation>mit gst-launch-1.0 prüfen; ohne appsink wird „! videoconvert ! appsink“ angehängt</translation>
    </message>
    <message>
        <source>the pipeline has no appsink</source>
        <translation>Die Pipeline hat kein appsink</translation>
    </message>
    <message>
        <source>the pipeline has several appsinks</source>
        <translation>Die Pipeline hat mehrere appsinks</translation>
    </message>
    <message>
        <source>end the branch to be read with &quot;! appsink&quot;, and others with another sink</source>
        <translation>den Zweig, der gelesen werden soll, mit &quot;! appsink&quot; beenden, andere mit einer anderen Senke</translation>
    </message>
    <message>
        <source>the pipeline did not start: %1</source>
        <translation>Die Pipeline startete nicht: %1</translation>
    </message>
    <message>
        <source>the appsink receives a format that cannot be read: %1</source>
        <translation>Das appsink erhält ein Format, das nicht lesbar ist: %1</translation>
    </message>
    <message>
        <source>put &quot;%1 !&quot; in front of it</source>
        <translation>davor &quot;%1 !&quot; einfügen</translation>
    </message>
    <message>
        <source>NvBufSurfaceMapEglImage failed: EGL may be missing</source>
        <translation>NvBufSurfaceMapEglImage scheiterte: EGL fehlt möglicherweise</translation>
    </message>
    <message>
        <source>the EGLImage is smaller than the frame</source>
        <translation>Das EGLImage ist kleiner als das Bild</translation>
    </message>
    <message>
        <source>frames were lost at the end</source>
        <translation>am Ende gingen Bilder verloren</translation>
    </message>
    <message>
        <source>is not the address of a media server</source>
        <translation>ist keine Adresse eines Medienservers</translation>
    </message>
    <message>
        <source>use rtsp://, rtsps://, rtmp:// or rtmps://</source>
        <translation>rtsp://, rtsps://, rtmp:// oder rtmps:// verwenden</translation>
    </message>
    <message>
        <source>cannot start a thread</source>
        <translation>ein Thread konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>raise the limit of threads of the user, the service or the container</source>
        <translation>die erlaubte Zahl der Threads des Benutzers, des Dienstes oder des Containers erhöhen</translation>
    </message>
    <message>
        <source>few detections</source>
        <translation>wenige Detektionen</translation>
    </message>
    <message>
        <source>low score</source>
        <translation>niedrige Bewertung</translation>
    </message>
    <message>
        <source>long gap</source>
        <translation>lange Lücke</translation>
    </message>
</context>
</TS>
