// Compares the client with the vectors; says how many figures it looked at, and exits with 1 at a difference.
//   node clients/javascript/test.js [FOLDER OF VECTORS]
import { createHash, webcrypto } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ring, bytesOf, tagged, xxh3 } from './beltway.js'

globalThis.crypto ??= webcrypto
const here = dirname(fileURLToPath(import.meta.url))
const folder = process.argv[2] ?? join(here, '../../core/src/test/resources/vectors')
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
const hex = (number) => number.toString(16).padStart(16, '0')

let looked = 0
let wrong = 0
function same (what, expected, got) {
  looked++
  const texts = [JSON.stringify(expected), JSON.stringify(got)]
  if (texts[0] !== texts[1]) {
    wrong++
    if (wrong <= 10) console.log(`DIFFERENT ${what}: ${texts[0]} expected, ${texts[1]} computed`)
  }
}

const hashes = read('a_hash_vectors.json')
const column = hashes.header.columns.indexOf('xxh3_64')
for (const row of hashes.rows) {
  const bytes = bytesOf(row[0])
  same(`xxh3 of ${row[0].slice(0, 40)}`, row[column], hex(xxh3(bytes)))
}

function nodesOf (config) {
  const nodes = Array.isArray(config.nodes)
    ? config.nodes.map(([id, vnodes]) => ({ id, vnodes }))
    : Array.from({ length: 100 }, (_, i) => ({ id: `n${String(i).padStart(3, '0')}`, vnodes: 100 }))
  return { placement: {}, nodes }
}

const native = read('h_native_ring.json')
const rings = {}
for (const [name, config] of Object.entries(native.header.configs)) {
  const ring = Ring.of(nodesOf(config))
  rings[name] = ring
  same(`tokens of ${name}`, config.tokens, ring.tokens.length)
  const hash = createHash('sha256')
  ring.ids.forEach((id, i) => hash.update(`${hex(ring.tokens[i])} ${id}\n`))
  same(`ring of ${name}`, config.ring_sha256, hash.digest('hex'))
}
const names = native.header.columns.slice(2).map((column) => column.replace('replicas:', ''))
for (const row of native.rows) {
  same(`hash of ${row[0]}`, row[1], hex(xxh3(bytesOf(row[0]))))
  names.forEach((name, i) => {
    same(`owners of ${row[0]} in ${name}`, row[2 + i], rings[name].owners(row[0], 3))
    same(`owner of ${row[0]} in ${name}`, row[2 + i][0], rings[name].owner(row[0]))
  })
}

const bulk = read('h_native_bulk.json')
const keys = Array.from({ length: 100_000 }, (_, i) => xxh3(bytesOf(`key-${i}`)))
for (const [name, load, , , sha256] of bulk.rows) {
  const counts = new Map()
  const owners = keys.map((position) => rings[name].ownerAt(position))
  for (const id of owners) counts.set(id, (counts.get(id) ?? 0) + 1)
  same(`owners in ${name}`, sha256, createHash('sha256').update(owners.join('\n')).digest('hex'))
  const config = bulk.header.configs[name]
  if (load && Array.isArray(config)) same(`load of ${name}`, load, config.map(([id]) => counts.get(id) ?? 0))
}
for (const { from, to, moved } of bulk.header.migrations) {
  same(`moved ${from} to ${to}`, moved, keys.filter((at) => rings[from].ownerAt(at) !== rings[to].ownerAt(at)).length)
}

const synthetic = read('h_native_synthetic.json')
const made = {}
for (const [name, points] of Object.entries(synthetic.header.rings)) {
  made[name] = new Ring(points.map(([token, id]) => [BigInt('0x' + token), id]))
}
for (const [name, position, owner, owners] of synthetic.rows) {
  same(`${position} in ${name}`, owner, made[name].ownerAt(BigInt('0x' + position)))
  same(`owners of ${position} in ${name}`, owners, made[name].ownersAt(BigInt('0x' + position), 3))
}

read('h_native_tokens_C3.json').rows.forEach(([token, id], i) => {
  same(`point ${i}`, [token, id], [hex(rings.C3_v150.tokens[i]), rings.C3_v150.ids[i]])
})

const text = (bytes) => new TextDecoder().decode(bytes)
for (const [key, expected] of [['foo{{bar}}zap', '{bar'], ['foo{}{bar}', 'foo{}{bar}'], ['a{b}c', 'b'], ['', ''], ['}{x}', 'x'], ['{x', '{x']]) {
  same(`tag of ${key}`, expected, text(tagged(bytesOf(key))))
}
const stated = Ring.of({ nodes: [{ id: 'cache-b', vnodes: 47 }, { id: 'cache-a', weight: 1 }, { id: 'off', weight: 0 }] })
same('fingerprint', '69996475153c41b569d4ddc710a88b57', await stated.fingerprint())

const shared = JSON.parse(readFileSync(join(here, '../vectors.json'), 'utf8'))
for (const { topology, fingerprint, owners } of shared.good) {
  const ring = Ring.of(topology)
  same('fingerprint', fingerprint, await ring.fingerprint())
  for (const [key, owner] of Object.entries(owners)) same(`owner of ${key}`, owner, ring.owner(key))
}
for (const topology of shared.bad) {
  let refused = false
  try { Ring.of(topology) } catch { refused = true }
  same(`refusal of ${JSON.stringify(topology)}`, true, refused)
}

console.log(`${looked} figures looked at, ${wrong} differences`)
process.exit(wrong === 0 ? 0 : 1)
