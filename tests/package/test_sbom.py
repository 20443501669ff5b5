#!/usr/bin/env python3
"""Checks bills of materials against the rules of SPDX 2.3, and against the files that they describe.

usage: test_sbom.py FILE...         FILE: of build-deb or build-bundle, next to the packages or the archive
"""

import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys

FIELDS = {"SPDXID", "name", "versionInfo", "downloadLocation", "supplier", "filesAnalyzed", "licenseConcluded",
          "licenseDeclared", "copyrightText"}
STANDARD = {"Apache-2.0", "CC0-1.0", "NOASSERTION"}  # of SPDX's list; the project uses no others
KINDS = {"DESCRIBES", "DEPENDS_ON", "CONTAINS", "BUILD_DEPENDENCY_OF", "STATIC_LINK", "DYNAMIC_LINK"}


def check(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    failures = []

    def require(holds, what):
        if not holds:
            failures.append(what)

    require(document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0", "another version")
    require(document["SPDXID"] == "SPDXRef-DOCUMENT", "another identifier of the document")
    require(re.fullmatch(r"https://[^#\s]+", document["documentNamespace"]), "no namespace")
    require(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]), "no time")
    for creator in document["creationInfo"]["creators"]:
        require(re.fullmatch(r"(Tool|Organization|Person): .+", creator), f"creator {creator}")
    texts = {each["licenseId"]: each["extractedText"] for each in document["hasExtractedLicensingInfos"]}
    require(len(texts) == len(document["hasExtractedLicensingInfos"]), "a license twice")
    for reference, text in texts.items():
        require(re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", reference) and text.strip(), f"license {reference}")
    used = collections.Counter()
    for package in document["packages"]:
        name = package["name"]
        if not FIELDS <= set(package):
            failures.append(f"{name} has no {', '.join(FIELDS - set(package))}")
            continue
        require(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]), f"identifier {package['SPDXID']}")
        supplier = package["supplier"]
        require(re.fullmatch(r"(Organization|Person): [^<>]+|NOASSERTION", supplier), f"supplier of {name}")
        if address := re.search(r"@(debian\.org|(?:alioth-)?lists\..*)\)$", supplier):  # of persons, of lists
            require(supplier.startswith("Person") == (address[1] == "debian.org"), f"{name}: kind of {supplier}")
        require(package["versionInfo"], f"version of {name}")
        names = re.split(r" (?:AND|OR) ", package["licenseDeclared"])
        used.update(names)
        for each in names:
            require(each in STANDARD or each in texts, f"{name}: {each} has no text")
        for checksum in package.get("checksums", []):
            require(checksum["algorithm"] == "SHA256" and re.fullmatch("[0-9a-f]{64}", checksum["checksumValue"]), f"checksum of {name}")
        if "packageFileName" in package and package.get("checksums"):
            file = path.with_name(package["packageFileName"])
            if file.exists():
                require(hashlib.sha256(file.read_bytes()).hexdigest() == package["checksums"][0]["checksumValue"], f"{file} has changed")
    identifiers = collections.Counter(package["SPDXID"] for package in document["packages"])
    require(max(identifiers.values()) == 1, "an identifier twice")
    related = set()
    for each in document["relationships"]:
        ends = {each["spdxElementId"], each["relatedSpdxElement"]}
        related |= ends
        require(ends <= set(identifiers) | {"SPDXRef-DOCUMENT"}, f"a relationship of unknown packages: {ends}")
        require(each["relationshipType"] in KINDS, f"relationship {each['relationshipType']}")
    require(set(identifiers) <= related, f"related to nothing: {set(identifiers) - related}")
    require(set(texts) <= set(used), f"texts that no package has: {set(texts) - set(used)}")
    require(any(each["relationshipType"] == "DESCRIBES" for each in document["relationships"]), "describes nothing")
    names = {package["name"] for package in document["packages"]}
    for deb in path.parent.glob("*.deb"):  # of build-deb
        require(deb.name.split("_")[0] in names, f"lacks {deb.name}")
    archive = path.with_name(path.name.replace(".spdx.json", ".tar.xz"))
    if archive.exists():
        listed = subprocess.run(["tar", "-tf", archive], check=True, stdout=subprocess.PIPE, text=True).stdout
        inside = set(re.findall(r"^[^/]*/licenses/([^/]+)/copyright$", listed, re.MULTILINE))
        require(inside and inside <= names, f"lacks packages of the archive: {inside - names}")
    has_lists = any(pathlib.Path("/var/lib/apt/lists").glob("*_Packages*"))
    require(not has_lists or any("checksums" in each and "externalRefs" in each for each in document["packages"]), "no checksum of Debian")
    unknown = [package["name"] for package in document["packages"] if "checksums" not in package]
    print(f"{path.name}: {len(names)} packages, {len(document['relationships'])} relationships, {len(texts)} texts; "
          f"{len(unknown)} without a checksum: {', '.join(unknown[:5])}")
    return [f"{path}: {failure}" for failure in failures]


def main():
    if not sys.argv[1:]:
        sys.exit("usage: test_sbom.py FILE...")
    failures = [failure for name in sys.argv[1:] for failure in check(pathlib.Path(name))]
    sys.exit("\n".join(failures) or 0)


main()
