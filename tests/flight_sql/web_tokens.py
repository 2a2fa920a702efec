"""Web tokens and keys for tests, by Python's cryptography: another implementation than the server's."""
import base64
import json
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def encode_number(value, size=None):
    return encode(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))


def encode_json(value):
    return encode(value if isinstance(value, bytes) else json.dumps(value).encode())


class Key:
    def __init__(self, kind, key_id=None):
        self.kind = kind
        self.key_id = key_id
        self.private = (rsa.generate_private_key(65537, 2048) if kind == "RS256"
                        else ec.generate_private_key(ec.SECP256R1()))

    def pem(self):
        return self.private.public_key().public_bytes(serialization.Encoding.PEM,
                                                      serialization.PublicFormat.SubjectPublicKeyInfo)

    def jwk(self):
        numbers = self.private.public_key().public_numbers()
        named = {"kid": self.key_id} if self.key_id else {}
        if self.kind == "RS256":
            return {"kty": "RSA", "n": encode_number(numbers.n), "e": encode_number(numbers.e), **named}
        return {"kty": "EC", "crv": "P-256", "x": encode_number(numbers.x, 32), "y": encode_number(numbers.y, 32), **named}

    def signature(self, text):
        if self.kind == "RS256":
            return self.private.sign(text, padding.PKCS1v15(), hashes.SHA256())
        r, s = decode_dss_signature(self.private.sign(text, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def token(self, claims=None, header=None, signature=None, **changes):
        """Good claims with `changes` (None leaves one out), or `claims` as they are."""
        good = {"sub": "ann", "iss": "https://issuer.example", "aud": "portico", "exp": int(time.time()) + 600}
        merged = {k: v for k, v in {**good, **changes}.items() if v is not None} if claims is None else claims
        named = {"kid": self.key_id} if self.key_id else {}
        head = {"alg": self.kind, "typ": "JWT", **named} if header is None else header
        text = f"{encode_json(head)}.{encode_json(merged)}"
        made = self.signature(text.encode()) if signature is None else signature
        return f"{text}.{encode(made)}"


def jwks(*keys):
    return json.dumps({"keys": [{"kty": "oct", "k": "c2VjcmV0"}, *(key.jwk() for key in keys)]})
