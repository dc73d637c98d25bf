"""Reference client: which node owns a key, by a Beltway topology with a ring of xxh3_64.

It computes what docs/contract.md says and nothing else, without dependencies; Python 3.8 or later.

    from beltway import Ring
    ring = Ring.of(json.load(open('topology.json')))
    ring.owner('user:42')        # 'cache-b'
    ring.owners('user:42', 3)    # ['cache-b', 'cache-d', 'cache-f']
"""

import bisect
import hashlib
import math

M = (1 << 64) - 1
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

# The default secret of XXH3.
SECRET = bytes.fromhex(
    'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221'
    'b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8'
    'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb'
    '170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e')


def u32(data, at):
    return int.from_bytes(data[at:at + 4], 'little')


def u64(data, at):
    return int.from_bytes(data[at:at + 8], 'little')


def rotl(x, n):
    return (x << n | x >> (64 - n)) & M


def fold(a, b):
    product = a * b
    return product & M ^ product >> 64


def swap64(x):
    return int.from_bytes(x.to_bytes(8, 'little'), 'big')


def avalanche(h):
    h ^= h >> 37
    h = h * MX1 & M
    return h ^ h >> 32


def avalanche64(h):
    h ^= h >> 33
    h = h * P64_2 & M
    h ^= h >> 29
    h = h * P64_3 & M
    return h ^ h >> 32


def mix16(data, at, secret):
    return fold(u64(data, at) ^ u64(SECRET, secret), u64(data, at + 8) ^ u64(SECRET, secret + 8))


def xxh3(data):
    """XXH3 of 64 bits, seed 0, of bytes; 0 to 2**64 - 1."""
    length = len(data)
    if length == 0:
        return avalanche64(u64(SECRET, 56) ^ u64(SECRET, 64))
    if length <= 3:
        combined = data[0] << 16 | data[length >> 1] << 24 | data[-1] | length << 8
        return avalanche64(combined ^ u32(SECRET, 0) ^ u32(SECRET, 4))
    if length <= 8:
        h = (u32(data, length - 4) + (u32(data, 0) << 32)) ^ u64(SECRET, 8) ^ u64(SECRET, 16)
        h ^= rotl(h, 49) ^ rotl(h, 24)
        h = h * MX2 & M
        h ^= (h >> 35) + length
        h = h * MX2 & M
        return h ^ h >> 28
    if length <= 16:
        low = u64(data, 0) ^ u64(SECRET, 24) ^ u64(SECRET, 32)
        high = u64(data, length - 8) ^ u64(SECRET, 40) ^ u64(SECRET, 48)
        return avalanche((length + swap64(low) + high + fold(low, high)) & M)
    total = length * P64_1
    if length <= 128:
        for i in range((length - 1) >> 5, -1, -1):
            total += mix16(data, 16 * i, 32 * i) + mix16(data, length - 16 * (i + 1), 32 * i + 16)
        return avalanche(total & M)
    if length <= 240:
        for i in range(8):
            total += mix16(data, 16 * i, 16 * i)
        total = avalanche(total & M)
        for i in range(8, length >> 4):
            total += mix16(data, 16 * i, 16 * (i - 8) + 3)
        return avalanche((total + mix16(data, length - 16, 119)) & M)
    return _long(data, length)


def _long(data, length):
    lanes = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]

    def accumulate(at, secret):
        for i in range(8):
            word = u64(data, at + 8 * i)
            key = word ^ u64(SECRET, secret + 8 * i)
            lanes[i ^ 1] = (lanes[i ^ 1] + word) & M
            lanes[i] = (lanes[i] + (key & 0xFFFFFFFF) * (key >> 32)) & M

    blocks = (length - 1) // 1024
    for block in range(blocks):
        for i in range(16):
            accumulate(1024 * block + 64 * i, 8 * i)
        for i in range(8):
            lanes[i] = (lanes[i] ^ lanes[i] >> 47 ^ u64(SECRET, 128 + 8 * i)) * P32_1 & M
    for i in range((length - 1 - 1024 * blocks) // 64):
        accumulate(1024 * blocks + 64 * i, 8 * i)
    accumulate(length - 64, 121)
    total = length * P64_1
    for i in range(4):
        total += fold(lanes[2 * i] ^ u64(SECRET, 11 + 16 * i), lanes[2 * i + 1] ^ u64(SECRET, 19 + 16 * i))
    return avalanche(total & M)


def bytes_of(key):
    """The bytes of a key: bytes as they are, a text as UTF-8."""
    return key.encode() if isinstance(key, str) else bytes(key)


def tagged(key):
    """What of a key is hashed where hash tags are on: between the first { and the first } after it."""
    start = key.find(b'{')
    end = key.find(b'}', start + 1) if start >= 0 else -1
    return key[start + 1:end] if end > start + 1 else key


def check(rule, nodes):
    """Refuses what would be read in two ways: a topology that is not understood must not be obeyed."""
    def must(right, what):
        if not right:
            raise ValueError(what + ' is not as docs/contract.md says')

    def count(value, least):
        return type(value) is int and least <= value <= 1_000_000

    unknown = set(rule) - {'algorithm', 'hash', 'vnodes', 'minVnodes', 'separator', 'hashTags',
                           'replicas', 'failureDomain', 'maxTokens'}
    must(not unknown, 'placement: ' + ', '.join(unknown))
    must(count(rule['vnodes'], 1) and count(rule['minVnodes'], 1), 'vnodes or minVnodes')
    must(type(rule['hashTags']) is bool, 'hashTags')
    separator = rule['separator']
    must(isinstance(separator, str) and separator and not separator[-1].isdecimal(), 'separator')
    ids = [node.get('id') for node in nodes]
    must(all(isinstance(each, str) and each for each in ids) and len(set(ids)) == len(ids), 'id')
    for node in nodes:
        weight, vnodes = node.get('weight'), node.get('vnodes')
        must(weight is None or vnodes is None, node['id'] + ': weight beside vnodes')
        must(vnodes is None or count(vnodes, 0), node['id'] + ': vnodes')
        must(weight is None or type(weight) in (int, float) and (weight == 0 or 1e-6 <= weight <= 1e6),
             node['id'] + ': weight')


class Ring:
    """A ring: points of tokens and nodes, sorted."""

    def __init__(self, points, hash_tags=False):
        """Of points (token, id) in any order; equal tokens stay, the smallest id by UTF-8 bytes first."""
        ordered = sorted(points, key=lambda point: (point[0], point[1].encode()))
        self.tokens = [token for token, _ in ordered]
        self.ids = [node for _, node in ordered]
        self.hash_tags = hash_tags
        self.canonical = ''

    @classmethod
    def of(cls, topology):
        """Of the JSON form of a topology file whose algorithm is ring and whose hash is xxh3_64."""
        rule = {'algorithm': 'ring', 'hash': 'xxh3_64', 'vnodes': 150, 'minVnodes': 10,
                'separator': '#', 'hashTags': False, **(topology.get('placement') or {})}
        if (rule['algorithm'], rule['hash']) != ('ring', 'xxh3_64'):
            raise ValueError('algorithm {algorithm} with hash {hash}: this client knows ring with xxh3_64'
                             .format(**rule))
        check(rule, topology['nodes'])
        counts = {node['id']: cls.vnodes(node, rule) for node in topology['nodes']}
        ring = cls([(xxh3((node + rule['separator'] + str(i)).encode()), node)
                    for node, count in counts.items() for i in range(count)], rule['hashTags'])
        ring.canonical = ('beltway 1\nalgorithm ring\nhash xxh3_64\nseparator {}\nhashTags {}\n'
                          .format(rule['separator'], str(rule['hashTags']).lower())
                          + ''.join('node {} {}\n'.format(count, node)
                                    for node, count in sorted(counts.items(), key=lambda item: item[0].encode())
                                    if count > 0))
        return ring

    @staticmethod
    def vnodes(node, rule):
        """How many tokens a node has."""
        if node.get('vnodes') is not None:
            return node['vnodes']
        weight = node['weight'] if node.get('weight') is not None else 1
        return 0 if weight == 0 else max(rule['minVnodes'], math.floor(rule['vnodes'] * weight + 0.5))

    def position(self, key):
        """Where a key is on the ring."""
        data = bytes_of(key)
        return xxh3(tagged(data) if self.hash_tags else data)

    def index_at(self, position):
        """The index of the first token at or after a position; past the last one it is the first of all."""
        index = bisect.bisect_left(self.tokens, position)
        return 0 if index == len(self.tokens) else index

    def owner_at(self, position):
        """The node that owns a position; None if no node has tokens."""
        return self.ids[self.index_at(position)] if self.ids else None

    def owner(self, key):
        """The node that owns a key; None if no node has tokens."""
        return self.owner_at(self.position(key))

    def owners(self, key, count):
        """The first so many different nodes clockwise from a key; fewer where fewer have tokens."""
        return self.owners_at(self.position(key), count)

    def owners_at(self, position, count):
        """The same from a position."""
        found = []
        first = self.index_at(position)
        for i in range(len(self.ids)):
            node = self.ids[(first + i) % len(self.ids)]
            if node not in found:
                found.append(node)
                if len(found) == count:
                    break
        return found

    def fingerprint(self):
        """The fingerprint, which is the same wherever the same topology is obeyed."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()[:32]
