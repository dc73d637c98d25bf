// Reference client: which node owns a key, by a Beltway topology with a ring of xxh3_64. It computes what
// docs/contract.md says and nothing else; for browsers and Node.js alike, without dependencies
// (the fingerprint needs crypto.subtle, which browsers have on localhost and over TLS alone).
//
//   import { Ring } from './beltway.js'
//   const ring = Ring.of(JSON.parse(topologyAsJson))
//   ring.owner('user:42')          // 'cache-b'
//   ring.owners('user:42', 3)      // ['cache-b', 'cache-d', 'cache-f']

const M = 0xffffffffffffffffn
const P32_1 = 0x9e3779b1n
const P32_2 = 0x85ebca77n
const P32_3 = 0xc2b2ae3dn
const P64_1 = 0x9e3779b185ebca87n
const P64_2 = 0xc2b2ae3d27d4eb4fn
const P64_3 = 0x165667b19e3779f9n
const P64_4 = 0x85ebca77c2b2ae63n
const P64_5 = 0x27d4eb2f165667c5n
const MX1 = 0x165667919e3779f9n
const MX2 = 0x9fb21c651e98df25n

// The default secret of XXH3.
const SECRET = view(Uint8Array.from((
  'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221' +
  'b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8' +
  'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb' +
  '170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e'
).match(/../g), (hex) => parseInt(hex, 16)))

function view (bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const u64 = (data, at) => data.getBigUint64(at, true)
const u32 = (data, at) => BigInt(data.getUint32(at, true))
const rotl = (x, n) => ((x << n) | (x >> (64n - n))) & M

function fold (a, b) {
  const product = a * b
  return (product & M) ^ (product >> 64n)
}

function swap64 (x) {
  let swapped = 0n
  for (let i = 0; i < 8; i++, x >>= 8n) swapped = (swapped << 8n) | (x & 0xffn)
  return swapped
}

function avalanche (h) {
  h ^= h >> 37n
  h = (h * MX1) & M
  return h ^ (h >> 32n)
}

function avalanche64 (h) {
  h ^= h >> 33n
  h = (h * P64_2) & M
  h ^= h >> 29n
  h = (h * P64_3) & M
  return h ^ (h >> 32n)
}

const mix16 = (data, at, secret) =>
  fold(u64(data, at) ^ u64(SECRET, secret), u64(data, at + 8) ^ u64(SECRET, secret + 8))

/** XXH3 of 64 bits, seed 0, of a Uint8Array; a BigInt from 0 to 2^64 - 1. */
export function xxh3 (bytes) {
  const data = view(bytes)
  const length = bytes.length
  if (length === 0) return avalanche64(u64(SECRET, 56) ^ u64(SECRET, 64))
  if (length <= 3) {
    const combined = (bytes[0] * 65536) + (bytes[length >> 1] * 16777216) + bytes[length - 1] + (length * 256)
    return avalanche64(BigInt(combined) ^ (u32(SECRET, 0) ^ u32(SECRET, 4)))
  }
  if (length <= 8) {
    let h = (u32(data, length - 4) + (u32(data, 0) << 32n)) ^ (u64(SECRET, 8) ^ u64(SECRET, 16))
    h ^= rotl(h, 49n) ^ rotl(h, 24n)
    h = (h * MX2) & M
    h ^= (h >> 35n) + BigInt(length)
    h = (h * MX2) & M
    return h ^ (h >> 28n)
  }
  if (length <= 16) {
    const low = u64(data, 0) ^ (u64(SECRET, 24) ^ u64(SECRET, 32))
    const high = u64(data, length - 8) ^ (u64(SECRET, 40) ^ u64(SECRET, 48))
    return avalanche((BigInt(length) + swap64(low) + high + fold(low, high)) & M)
  }
  let sum = (BigInt(length) * P64_1) & M
  if (length <= 128) {
    for (let i = (length - 1) >> 5; i >= 0; i--) {
      sum += mix16(data, 16 * i, 32 * i) + mix16(data, length - 16 * (i + 1), 32 * i + 16)
    }
    return avalanche(sum & M)
  }
  if (length <= 240) {
    for (let i = 0; i < 8; i++) sum += mix16(data, 16 * i, 16 * i)
    sum = avalanche(sum & M)
    for (let i = 8; i < length >> 4; i++) sum += mix16(data, 16 * i, 16 * (i - 8) + 3)
    return avalanche((sum + mix16(data, length - 16, 119)) & M)
  }
  return long(data, length)
}

function long (data, length) {
  const lanes = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
  const accumulate = (at, secret) => {
    for (let i = 0; i < 8; i++) {
      const word = u64(data, at + 8 * i)
      const key = word ^ u64(SECRET, secret + 8 * i)
      lanes[i ^ 1] = (lanes[i ^ 1] + word) & M
      lanes[i] = (lanes[i] + (key & 0xffffffffn) * (key >> 32n)) & M
    }
  }
  const blocks = Math.floor((length - 1) / 1024)
  for (let block = 0; block < blocks; block++) {
    for (let i = 0; i < 16; i++) accumulate(1024 * block + 64 * i, 8 * i)
    for (let i = 0; i < 8; i++) {
      lanes[i] = ((lanes[i] ^ (lanes[i] >> 47n) ^ u64(SECRET, 128 + 8 * i)) * P32_1) & M
    }
  }
  const stripes = Math.floor((length - 1 - 1024 * blocks) / 64)
  for (let i = 0; i < stripes; i++) accumulate(1024 * blocks + 64 * i, 8 * i)
  accumulate(length - 64, 121)
  let sum = (BigInt(length) * P64_1) & M
  for (let i = 0; i < 4; i++) {
    sum += fold(lanes[2 * i] ^ u64(SECRET, 11 + 16 * i), lanes[2 * i + 1] ^ u64(SECRET, 19 + 16 * i))
  }
  return avalanche(sum & M)
}

const utf8 = new TextEncoder()

/** The bytes of a key: those of a Uint8Array, or the UTF-8 of a text. */
export const bytesOf = (key) => (typeof key === 'string' ? utf8.encode(key) : key)

/** What of a key is hashed where hash tags are on: between the first { and the first } after it. */
export function tagged (bytes) {
  const open = bytes.indexOf(0x7b)
  const close = open < 0 ? -1 : bytes.indexOf(0x7d, open + 1)
  return close > open + 1 ? bytes.subarray(open + 1, close) : bytes
}

/** By UTF-8 bytes, a prefix before what it begins: not the order that JavaScript compares texts in. */
export function compareIds (one, other) {
  const a = utf8.encode(one)
  const b = utf8.encode(other)
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] !== b[i]) return a[i] - b[i]
  }
  return a.length - b.length
}

const KNOWN = ['algorithm', 'hash', 'vnodes', 'minVnodes', 'separator', 'hashTags', 'replicas', 'failureDomain', 'maxTokens']

/** Refuses what would be read in two ways: a topology that is not understood must not be obeyed. */
function check (rule, nodes) {
  const must = (right, what) => { if (!right) throw new Error(`${what} is not as docs/contract.md says`) }
  const count = (value, least) => Number.isInteger(value) && value >= least && value <= 1_000_000
  const weighs = (value) => typeof value === 'number' && (value === 0 || (value >= 1e-6 && value <= 1e6))
  const unknown = Object.keys(rule).filter((name) => !KNOWN.includes(name))
  must(unknown.length === 0, `placement: ${unknown}`)
  must(count(rule.vnodes, 1) && count(rule.minVnodes, 1), 'vnodes or minVnodes')
  must(typeof rule.hashTags === 'boolean', 'hashTags')
  must(typeof rule.separator === 'string' && /[^\p{Nd}]$/u.test(rule.separator), 'separator')
  must(nodes.every((node) => typeof node.id === 'string' && node.id) && new Set(nodes.map((node) => node.id)).size === nodes.length, 'id')
  for (const { id, weight, vnodes } of nodes) {
    must((weight ?? null) === null || (vnodes ?? null) === null, `${id}: weight beside vnodes`)
    must((vnodes ?? null) === null || count(vnodes, 0), `${id}: vnodes`)
    must((weight ?? null) === null || weighs(weight), `${id}: weight`)
  }
}

/** A ring: points of tokens and nodes, sorted. */
export class Ring {
  /** Of points [token, id] in any order; equal tokens stay, the smallest id first. */
  constructor (points, hashTags = false) {
    const sorted = points.slice().sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : compareIds(a[1], b[1])))
    this.tokens = BigUint64Array.from(sorted, (point) => point[0])
    this.ids = sorted.map((point) => point[1])
    this.hashTags = hashTags
  }

  /** Of the JSON form of a topology file whose algorithm is ring and whose hash is xxh3_64. */
  static of (topology) {
    const rule = { algorithm: 'ring', hash: 'xxh3_64', vnodes: 150, minVnodes: 10, separator: '#', hashTags: false, ...topology.placement }
    if (rule.algorithm !== 'ring' || rule.hash !== 'xxh3_64') {
      throw new Error(`algorithm ${rule.algorithm} with hash ${rule.hash}: this client knows ring with xxh3_64`)
    }
    check(rule, topology.nodes)
    const points = []
    const counts = new Map()
    for (const node of topology.nodes) {
      const count = Ring.vnodes(node, rule)
      counts.set(node.id, count)
      for (let i = 0; i < count; i++) points.push([xxh3(utf8.encode(node.id + rule.separator + i)), node.id])
    }
    const ring = new Ring(points, rule.hashTags)
    ring.canonical = 'beltway 1\nalgorithm ring\nhash xxh3_64\n' +
      `separator ${rule.separator}\nhashTags ${rule.hashTags}\n` +
      [...counts].filter(([, count]) => count > 0).sort((a, b) => compareIds(a[0], b[0]))
        .map(([id, count]) => `node ${count} ${id}\n`).join('')
    return ring
  }

  /** How many tokens a node has. */
  static vnodes (node, rule) {
    if (node.vnodes !== undefined && node.vnodes !== null) return node.vnodes
    const weight = node.weight ?? 1
    return weight === 0 ? 0 : Math.max(rule.minVnodes, Math.floor(rule.vnodes * weight + 0.5))
  }

  /** Where a key is on the ring. */
  position (key) {
    const bytes = bytesOf(key)
    return xxh3(this.hashTags ? tagged(bytes) : bytes)
  }

  /** The index of the first token at or after a position; past the last one it is the first of all. */
  indexAt (position) {
    let low = 0
    let high = this.tokens.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.tokens[middle] < position) low = middle + 1
      else high = middle
    }
    return low === this.tokens.length ? 0 : low
  }

  /** The node that owns a position; undefined if no node has tokens. */
  ownerAt (position) {
    return this.ids[this.indexAt(position)]
  }

  /** The node that owns a key; undefined if no node has tokens. */
  owner (key) {
    return this.ownerAt(this.position(key))
  }

  /** The first so many different nodes clockwise from a key; fewer where fewer have tokens. */
  owners (key, count) {
    return this.ownersAt(this.position(key), count)
  }

  /** The same from a position. */
  ownersAt (position, count) {
    const found = []
    const first = this.indexAt(position)
    for (let i = 0; i < this.ids.length && found.length < count; i++) {
      const id = this.ids[(first + i) % this.ids.length]
      if (!found.includes(id)) found.push(id)
    }
    return found
  }

  /** The fingerprint, which is the same wherever the same topology is obeyed; a promise. */
  async fingerprint () {
    const hash = await crypto.subtle.digest('SHA-256', utf8.encode(this.canonical))
    return [...new Uint8Array(hash, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}
