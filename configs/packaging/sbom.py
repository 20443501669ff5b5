#!/usr/bin/env python3
"""Writes a software bill of materials (SPDX 2.3, JSON): packages with version, supplier, license and checksum.

usage: configs/packaging/sbom.py FOLDER [ROOT]
FOLDER: with the packages of build-deb; the list is written into it. ROOT: the file system of a cross build, filled by
configs/packaging/arm64/root. build-bundle writes the list of its archive with this module.

Licenses of Debian's packages are whole copyright files, because their short names are not those of SPDX. Without the
lists of apt (apt-get update), and for versions that the mirror no longer has, there is no checksum.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

RECORDED = ["Package", "Version", "Architecture", "Maintainer", "Provides"]  # of packages, by dpkg and in ROOT/packages
# In names of suppliers that are no persons.
GROUPS = re.compile(r"\b(team|maintainers|group|developers|packagers|project|force|authors|corporation)\b", re.IGNORECASE)
source = pathlib.Path(__file__).resolve().parents[2]


def output(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def fields_of(stanza):
    return dict(re.findall(r"^([\w-]+): (.*)$", stanza, re.MULTILINE))


def release():
    return re.search(r"^ID=\W?(\w+)", pathlib.Path("/etc/os-release").read_text(), re.MULTILINE).group(1)


class Document:
    """Collects packages and how they are related. Each package is added once."""

    def __init__(self, name, root):
        self.name, self.root = name, pathlib.Path(root)
        self.packages, self.relationships, self.texts = {}, [], {}
        if self.root == pathlib.Path("/"):
            known = output("dpkg-query", "-W", "-f", "".join(f"{field}: ${{{field}}}\n" for field in RECORDED) + "\n")
        elif (record := self.root / "packages").exists():
            known = record.read_text()
        else:
            sys.exit(f"sbom: {self.root} has no list of its packages; remove the folder and build again")
        stanzas = [each for each in map(fields_of, known.strip().split("\n\n")) if each.get("Version")]
        self.known = {name: each for each in stanzas for name in re.findall(r"(?:^|, )([^ ,]+)", each.get("Provides", ""))}
        self.known.update((each["Package"], each) for each in stanzas)

    def relate(self, first, kind, second):
        entry = {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}
        if entry not in self.relationships:
            self.relationships.append(entry)

    def add(self, name, version, supplier, license_name, sha256=None, **more):
        identifier = "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        if supplier != "NOASSERTION":
            kind = "Organization" if GROUPS.search(supplier) else "Person"
            supplier = f"{kind}: " + re.sub(r" <(.*)>$", r" (\1)", supplier)
        self.packages[identifier] = {
            "SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "supplier": supplier, "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": license_name,
            "copyrightText": "NOASSERTION",
            **({"checksums": [{"algorithm": "SHA256", "checksumValue": sha256}]} if sha256 else {}), **more}
        return identifier

    def add_debian(self, name):
        if name not in self.known:  # needed on the target, not by a cross build: passwd
            return self.add(name, "NOASSERTION", "NOASSERTION", "NOASSERTION")
        stanza = self.known[name]
        name = stanza["Package"]  # of one that provides it
        text = (self.root / "usr/share/doc" / name / "copyright").read_text(encoding="utf-8", errors="replace")
        # Packages of one source share a text.
        reference = self.texts.setdefault(text, "LicenseRef-copyright-" + re.sub(r"[^A-Za-z0-9.-]", "-", name))
        names = sorted(set(re.findall(r"^License: *(\S.*)$", text, re.MULTILINE)))
        locator = f"pkg:deb/{release()}/{name}@{stanza['Version']}?arch={stanza['Architecture']}"
        return self.add(name, stanza["Version"], stanza["Maintainer"], reference, stanza.get("SHA256"),
                        **({"licenseComments": "In Debian's short names: " + "; ".join(names)} if names else {}),
                        externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                       "referenceLocator": locator.replace("+", "%2B")}])

    def add_own(self, deb):
        """Adds a package of this project and, as its part or need, the runtime of CUDA."""
        fields = fields_of(output("dpkg-deb", "--field", deb))
        text = (source / "configs/packaging/copyright").read_text()
        own = self.add(fields["Package"], fields["Version"], fields["Maintainer"],
                       " AND ".join(sorted(set(re.findall(r"^License: (\S+)$", text, re.MULTILINE)))),
                       hashlib.sha256(deb.read_bytes()).hexdigest(), packageFileName=deb.name,
                       licenseComments=re.sub(r"\s+", " ", re.search(r"^Comment:\n((?: .*\n)*)", text, re.MULTILINE).group(1)).strip())
        files = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], check=True, stdout=subprocess.PIPE).stdout
        kind = "STATIC_LINK" if b"cudaErrorCudartUnloading\0" in files else "DYNAMIC_LINK"  # texts of the runtime's errors
        if kind == "STATIC_LINK" or re.search(rb"libcudart\.so\.\d+\0", files):
            header = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include/cuda_runtime_api.h").read_text()
            number = int(re.search(r"#define CUDART_VERSION +(\d+)", header).group(1))
            version = f"{number // 1000}.{number % 1000 // 10}"
            reference = self.texts.setdefault("NVIDIA's license of the CUDA toolkit: https://docs.nvidia.com/cuda/eula/",
                                              "LicenseRef-NVIDIA-CUDA-EULA")
            self.relate(own, kind, self.add("cuda-cudart", version, "NVIDIA Corporation", reference))
        return own, fields

    def add_build_packages(self, own):
        """Adds the packages whose headers are compiled in."""
        groups = re.split(r"^\[(\w+)\]$", (source / "configs/packages.txt").read_text(), flags=re.MULTILINE)
        for name in re.findall(r"^(\S+-dev)\b", groups[groups.index("program") + 1], re.MULTILINE):
            if name in self.known:
                for each in own:
                    self.relate(self.add_debian(name), "BUILD_DEPENDENCY_OF", each)

    def add_checksums(self):
        """Adds those that the lists of apt have: dpkg keeps none."""
        missing = {(each["name"], each["versionInfo"]): each for each in self.packages.values() if "checksums" not in each}
        shown = subprocess.run(["apt-cache", "show", *map("=".join, missing)], check=False, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True).stdout
        for fields in map(fields_of, shown.split("\n\n")):
            package = missing.get((fields.get("Package"), fields.get("Version")))
            if package and "SHA256" in fields:
                package["checksums"] = [{"algorithm": "SHA256", "checksumValue": fields["SHA256"]}]

    def write(self, path):
        if self.root == pathlib.Path("/"):
            self.add_checksums()
        content = {"packages": list(self.packages.values()), "relationships": self.relationships,
                   "hasExtractedLicensingInfos": [{"licenseId": reference, "extractedText": text}
                                                  for text, reference in self.texts.items()]}
        digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        now = datetime.datetime.fromtimestamp(int(epoch) if epoch else datetime.datetime.now().timestamp(), datetime.timezone.utc)
        document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": self.name,
                    "documentNamespace": f"https://throng.invalid/sbom/{self.name}-{digest}",
                    "creationInfo": {"created": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                                     "creators": ["Organization: Throng developers", "Tool: throng-sbom"]}, **content}
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{path}: {len(self.packages)} packages")


def describe_packages(folder, root):
    debs = sorted(folder.glob("*.deb"))
    if not debs:
        sys.exit(f"sbom: no packages in {folder}; build them with configs/packaging/build-deb")
    name = "throng_" + "_".join(debs[0].stem.split("_")[1:])
    document = Document(name, root)
    own = {fields["Package"]: (identifier, fields) for identifier, fields in map(document.add_own, debs)}
    for identifier, fields in own.values():
        document.relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier)
        for needed in re.findall(r"(?:^|,) *([a-z0-9][a-z0-9.+-]*)", fields.get("Depends", "")):  # the first of alternatives
            other = own[needed][0] if needed in own else document.add_debian(needed)
            document.relate(identifier, "DEPENDS_ON", other)
    document.add_build_packages([identifier for identifier, _ in own.values()])
    document.write(folder / f"{name}.spdx.json")


def describe_bundle(archive, debs, packages, root):
    """Writes the list of an archive, next to it: the project's packages and those of the system whose files are inside."""
    name = archive.name.removesuffix(".tar.xz")
    document = Document(name, root)
    own = [document.add_own(deb)[0] for deb in debs]
    first = document.packages[own[0]]
    bundle = document.add(name, first["versionInfo"], "Throng developers", "NOASSERTION",
                          hashlib.sha256(archive.read_bytes()).hexdigest(), packageFileName=archive.name)
    document.relate("SPDXRef-DOCUMENT", "DESCRIBES", bundle)
    for each in [*own, *map(document.add_debian, packages)]:
        document.relate(bundle, "CONTAINS", each)
    document.add_build_packages(own)
    document.write(archive.with_name(f"{name}.spdx.json"))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: configs/packaging/sbom.py FOLDER [ROOT]")
    describe_packages(pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else "/")
