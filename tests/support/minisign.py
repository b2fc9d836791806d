"""Files that minisign 0.11 wrote, for `test_keys.py` and `test_signatures.py`.

minisign -G -W -p plain.pub -s plain.key
(ulimit -v 200000; minisign -G -p hidden.pub -s hidden.key)     128 MiB in place of 1 GiB
minisign -S -s plain.key -m f.txt -t "a trusted comment"        f.txt is CONTENT; -l: LEGACY
"""

CONTENT = b"hello bundle\n"
PASSWORD = "secret words"  # noqa: S105 of a key that signs nothing but tests

PUBLIC = b"""\
untrusted comment: minisign public key ADF55EC4A689283C
RWQ8KImmxF71rQq4kJKMBM6u3QutbA25WfofS+x1QLDPKUrP3PMg8oCe
"""
SECRET = b"""\
untrusted comment: unprotected
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPCiJpsRe9a0b9R96FV9pkbas25b6mnKD/ji1Cp0MQPcC/KObvPjwTAq4kJKMBM6u3QutbA25WfofS+x1QLDPKUrP3PMg8oCeAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
"""
HIDDEN_PUBLIC = b"""\
untrusted comment: minisign public key 2B5966DC78A878DD
RWTdeKh43GZZK5F2cZmBWuB6CBAcftJl3AQ1IyZBwooadsFZ+5Z0iQjT
"""
HIDDEN = b"""\
untrusted comment: minisign encrypted secret key
RWRTY0IyMPp9eLUlai4ADx5xo1oMzrzp+63+w+3kOC0AEnXUzHcAAEAAAAAAAAAAAAgAAAAAT2QqVvz7OYXTE+Vz9wIFNVFwhuD7STBEkIKwbh5yQpAPIjUC2+0/tmFwHbE6d3gZ4vUFKxvzHe5pXoCV9efiLi/B+7ue9TQhijI2NdOs/FHXvBi9DzRHC95qewjQmqSfpU0/dZ5jJVI=
"""
SIGNATURE = b"""\
untrusted comment: an untrusted comment
RUQ8KImmxF71rdkKwnhRTMIQlxqJRX2XdeJYs8Ra6xiY0K0eR9kgR3GvDoU4YYRtlOirDYQXh8FRTcidYlAJDK6dk7zhPcCsrAg=
trusted comment: a trusted comment
cV5Z72OXI59z/RKRMj3+mywMxG/JdZGuVIHUPHNoS2VtXiIbtqkvuefJzwAFkHYX3RAtSA7zsKO9DM0a6V8cAw==
"""
LEGACY = b"""\
untrusted comment: signature from minisign secret key
RWQ8KImmxF71rYd2as8gEMCrgSMpxrQ3G4E2gMgCTOgKGjj0v1wklNmzd0+9RCwAUrrcUH2e7T8taa8JZIU6YChe6aJz6qJtuwc=
trusted comment: old kind
M7wEdffTp7GkvuKIwgIlkWy3Lk/t+ktfd01BzHCrE+7hXICOlxbwdJUFTSATaIIAX65l82G7k2ukzb5jDVcnBg==
"""
