"""Certificates made on the spot: an authority each for cluster and etcd, an identity per component."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from sandbox.layout import write_private

LIFETIME = datetime.timedelta(days=365)


@dataclass(frozen=True)
class Identity:
    """A client certificate's subject: what RBAC sees as user and group."""

    file: str
    user: str
    group: str = ""


ADMIN = Identity("admin", "sandbox-admin", "system:masters")
CLIENTS = (
    ADMIN,
    Identity("controller-manager", "system:kube-controller-manager"),
    Identity("scheduler", "system:kube-scheduler"),
    Identity("kwok", "node-fleet:kwok"),
    Identity("kube-state-metrics", "node-fleet:kube-state-metrics"),
    Identity("prometheus", "node-fleet:prometheus"),
)
SERVER_NAMES = (
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)
SERVER_ADDRESSES = ("127.0.0.1", "10.43.0.1")


def make_certificates(directory: Path) -> None:
    """All files, unless they are there. A half-made set (killed on the way) is made anew as a whole."""
    done = directory / "complete"
    if done.exists():
        return
    cluster = _Authority("node-fleet-sandbox", directory / "ca")
    for identity in CLIENTS:
        cluster.issue(directory / identity.file, identity.user, identity.group, for_server=False)
    cluster.issue(directory / "server", "kube-apiserver", "", for_server=True)
    etcd = _Authority("node-fleet-sandbox-etcd", directory / "etcd-ca")
    etcd.issue(directory / "etcd-server", "etcd", "", for_server=True)
    etcd.issue(directory / "etcd-client", "kube-apiserver", "", for_server=False)
    signer = ec.generate_private_key(ec.SECP256R1())
    write_private(directory / "service-accounts.key", _key_pem(signer))
    write_private(done, "yes\n")


class _Authority:
    def __init__(self, name: str, path: Path) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = _name(name, "")
        certificate = (
            _builder(self._subject, self._subject, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(signs_certificates=True), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        _write_pair(path, self._key, certificate)

    def issue(self, path: Path, user: str, group: str, *, for_server: bool) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        purposes = [ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = _builder(_name(user, group), self._subject, key.public_key())
        if for_server:
            # etcd calls itself through its gateway with its server certificate, hence both purposes.
            purposes.append(ExtendedKeyUsageOID.SERVER_AUTH)
            names: list[x509.GeneralName] = [x509.DNSName(name) for name in SERVER_NAMES]
            names += [x509.IPAddress(ipaddress.ip_address(address)) for address in SERVER_ADDRESSES]
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        certificate = (
            builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        _write_pair(path, key, certificate)


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        # A drill may set a component's clock back a little; the certificate must not be the first to break.
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + LIFETIME)
    )


def _name(user: str, group: str) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.COMMON_NAME, user)]
    if group:
        parts.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, group))
    return x509.Name(parts)


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )


def _write_pair(path: Path, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
    write_private(path.with_suffix(".key"), _key_pem(key))
    write_private(path.with_suffix(".crt"), certificate.public_bytes(serialization.Encoding.PEM))
