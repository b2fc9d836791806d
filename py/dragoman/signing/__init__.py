"""Signatures of bundles, as minisign makes and checks them: Ed25519, offline."""
