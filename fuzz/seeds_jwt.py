#!/usr/bin/env python3
"""Writes fuzz/corpus/jwt: tokens, key sets, keys and hashes, some with a flaw. Needs cryptography."""
import base64
import json
import pathlib

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

corpus = pathlib.Path(__file__).resolve().parent / "corpus" / "jwt"
corpus.mkdir(parents=True, exist_ok=True)

TOKEN, KEY_SET, PEM, HASH = b"\0", b"\1", b"\2", b"\3"
X = "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY"
Y = "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"


def encode(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=")


claims = {"sub": "ann", "iss": "i", "aud": ["a", "b"], "exp": 1700000100, "nbf": 1.5}
for i, header in enumerate([{"alg": "ES256", "kid": "k"}, {"alg": "RS256"}, {"alg": "none"}, {"alg": "ES256", "crit": ["b64"]}, []]):
    (corpus / f"token-{i}").write_bytes(TOKEN + encode(header) + b"." + encode(claims) + b"." + encode(bytes(range(64))))
p256 = {"kty": "EC", "crv": "P-256", "x": X, "y": Y, "kid": "k", "use": "sig", "alg": "ES256"}
rsa = {"kty": "RSA", "n": encode(b"\xc1" * 256).decode(), "e": "AQAB"}
for i, keys in enumerate([[p256], [rsa], [p256, rsa, {"kty": "oct", "k": "AAAA"}], [{**p256, "x": "AAAA"}], [{**rsa, "n": "AQ"}]]):
    (corpus / f"key-set-{i}").write_bytes(KEY_SET + json.dumps({"keys": keys}).encode())
public = ec.derive_private_key(7, ec.SECP256R1()).public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
(corpus / "pem").write_bytes(PEM + public)
(corpus / "pem-cut").write_bytes(PEM + public[:90])
(corpus / "hash").write_bytes(HASH + b"$scrypt$ln=14,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
