"""Compares the client with the vectors; says how many figures it looked at, and exits with 1 at a difference.

    python3 clients/python/test.py [FOLDER OF VECTORS]
"""

import collections
import hashlib
import json
import pathlib
import sys

from beltway import Ring, bytes_of, tagged, xxh3

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1
                      else pathlib.Path(__file__).parent / '../../core/src/test/resources/vectors')
looked = wrong = 0


def read(name):
    return json.loads((FOLDER / name).read_text(encoding='utf-8'))


def same(what, expected, got):
    global looked, wrong
    looked += 1
    if expected != got:
        wrong += 1
        if wrong <= 10:
            print('DIFFERENT {}: {} expected, {} computed'.format(what, expected, got))


hashes = read('a_hash_vectors.json')
column = hashes['header']['columns'].index('xxh3_64')
for row in hashes['rows']:
    same('xxh3 of ' + row[0][:40], row[column], '%016x' % xxh3(row[0].encode()))


def nodes_of(config):
    if isinstance(config['nodes'], list):
        return {'nodes': [{'id': node, 'vnodes': vnodes} for node, vnodes in config['nodes']]}
    return {'nodes': [{'id': 'n%03d' % i, 'vnodes': 100} for i in range(100)]}


native = read('h_native_ring.json')
rings = {}
for name, config in native['header']['configs'].items():
    ring = rings[name] = Ring.of(nodes_of(config))
    same('tokens of ' + name, config['tokens'], len(ring.tokens))
    lines = ''.join('%016x %s\n' % point for point in zip(ring.tokens, ring.ids))
    same('ring of ' + name, config['ring_sha256'], hashlib.sha256(lines.encode()).hexdigest())
names = [column.replace('replicas:', '') for column in native['header']['columns'][2:]]
for row in native['rows']:
    same('hash of ' + row[0], row[1], '%016x' % xxh3(bytes_of(row[0])))
    for name, owners in zip(names, row[2:]):
        same('owners of {} in {}'.format(row[0], name), owners, rings[name].owners(row[0], 3))
        same('owner of {} in {}'.format(row[0], name), owners[0], rings[name].owner(row[0]))

bulk = read('h_native_bulk.json')
keys = [xxh3(b'key-%d' % i) for i in range(100_000)]
for name, load, _, _, sha256 in bulk['rows']:
    config = bulk['header']['configs'][name]
    owners = [rings[name].owner_at(position) for position in keys]
    same('owners in ' + name, sha256, hashlib.sha256('\n'.join(owners).encode()).hexdigest())
    if load and isinstance(config, list):
        counts = collections.Counter(owners)
        same('load of ' + name, load, [counts[node] for node, _ in config])
for move in bulk['header']['migrations']:
    one, other = rings[move['from']], rings[move['to']]
    same('moved', move['moved'], sum(one.owner_at(at) != other.owner_at(at) for at in keys))

synthetic = read('h_native_synthetic.json')
made = {name: Ring([(int(token, 16), node) for token, node in points])
        for name, points in synthetic['header']['rings'].items()}
for name, position, owner, owners in synthetic['rows']:
    same('owners of {} in {}'.format(position, name), owners, made[name].owners_at(int(position, 16), 3))
    same('{} in {}'.format(position, name), owner, made[name].owner_at(int(position, 16)))

for i, (token, node) in enumerate(read('h_native_tokens_C3.json')['rows']):
    same('point %d' % i, (token, node), ('%016x' % rings['C3_v150'].tokens[i], rings['C3_v150'].ids[i]))

for key, expected in [(b'foo{{bar}}zap', b'{bar'), (b'foo{}{bar}', b'foo{}{bar}'), (b'a{b}c', b'b'),
                      (b'', b''), (b'}{x}', b'x'), (b'{x', b'{x')]:
    same('tag', expected, tagged(key))
stated = Ring.of({'nodes': [{'id': 'cache-b', 'vnodes': 47}, {'id': 'cache-a', 'weight': 1},
                            {'id': 'off', 'weight': 0}]})
same('fingerprint', '69996475153c41b569d4ddc710a88b57', stated.fingerprint())

shared = json.loads((pathlib.Path(__file__).parent / '../vectors.json').read_text(encoding='utf-8'))
for case in shared['good']:
    ring = Ring.of(case['topology'])
    same('fingerprint', case['fingerprint'], ring.fingerprint())
    for key, owner in case['owners'].items():
        same('owner of ' + key, owner, ring.owner(key))
for topology in shared['bad']:
    try:
        Ring.of(topology)
        same('refused', json.dumps(topology), 'obeyed')
    except ValueError:
        looked += 1

print('{} figures looked at, {} differences'.format(looked, wrong))
sys.exit(1 if wrong else 0)
