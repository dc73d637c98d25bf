// Teaches the ring without any cluster. Owners are computed by the reference client that other programs use, so that
// this page and the servers agree.
import { html, nothing } from '../lib/lit-html.js'
import { Ring, bytesOf, xxh3 } from '../client/beltway.js'
import { colours, percent, whole } from '../format.js'
import { bar, chart, dot } from '../parts.js'
import { Ranges, RingView } from '../ringview.js'
import { changed } from '../state.js'
import { t } from '../text.js'

const KEYS = 1200
const COUNTED = 20_000
const TABS = ['ring', 'vnodes', 'weak', 'bounded']

const picked = { tab: 'ring', nodes: 5, vnodes: 20, algorithm: 'ring', bound: 1.25, weakNodes: 6 }
let before = null
let views = new Map()

const letter = (i) => `node-${String.fromCharCode(97 + (i % 26))}${i >= 26 ? Math.floor(i / 26) : ''}`
const memory = new Map()

function once (name, make) {
  if (!memory.has(name)) {
    if (memory.size > 60) memory.delete(memory.keys().next().value)
    memory.set(name, make())
  }
  return memory.get(name)
}

const positions = (count) => once(`keys ${count}`, () => Array.from({ length: count }, (_, i) => xxh3(bytesOf(`key-${i}`))))
const names = (count) => Array.from({ length: count }, (_, i) => letter(i))

/** The ids that are in: all of the first so many but those that were taken out. */
let ids = names(picked.nodes)

const ringOf = (list, vnodes) => once(`ring ${list.join(',')} ${vnodes}`, () => Ring.of({ placement: { vnodes, minVnodes: 1 }, nodes: list.map((id) => ({ id })) }))

function fnv1a (text) {
  let hash = 0x811c9dc5
  for (const byte of bytesOf(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}

const weakRing = (list, vnodes) => once(`weak ${list.join(',')} ${vnodes}`, () =>
  new Ring(list.flatMap((id) => Array.from({ length: vnodes }, (_, i) => [BigInt(fnv1a(`${id}#${i}`)) << 32n, id]))))

const owner = (algorithm, list, vnodes, position) =>
  algorithm === 'modulo' ? list[Number(position % BigInt(list.length))] : ringOf(list, vnodes).ownerAt(position)

function rangesOf (ring) {
  const owners = [...new Set(ring.ids)]
  const index = new Map(owners.map((id, i) => [id, i]))
  return new Ranges(owners, Uint32Array.from(ring.tokens, (token) => Number(token >> 32n)), Uint32Array.from(ring.ids, (id) => index.get(id)))
}

/** Exact shares of the ring. */
function shares (ring) {
  const sums = new Map()
  let last = ring.tokens.length ? Number(ring.tokens[ring.tokens.length - 1]) - 2 ** 64 : 0
  ring.tokens.forEach((token, i) => {
    const at = Number(token)
    sums.set(ring.ids[i], (sums.get(ring.ids[i]) ?? 0) + (at - last) / 2 ** 64)
    last = at
  })
  return sums
}

function cv (values) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) / mean
}

const theory = (n, v) => Math.sqrt((n - 1) / (n * v + 1))

function pick (name, value) {
  picked[name] = value
  changed()
}

function resize (count) {
  before = null
  picked.nodes = count
  ids = names(count)
  changed()
}

function change (next) {
  before = { ids, algorithm: picked.algorithm, vnodes: picked.vnodes }
  ids = next
  picked.nodes = ids.length
  changed()
}

function join () {
  let i = 0
  while (ids.includes(letter(i))) i++
  if (ids.length < 40) change([...ids, letter(i)])
}

const slider = (name, label, min, max, step, value, set) => html`<label class="field"><span>${label}: <strong>${value}</strong></span>
  <input type="range" id="lab-${name}" min=${min} max=${max} step=${step} .value=${String(value)} @input=${(event) => set(Number(event.target.value))}></label>`

function ringTab () {
  const { algorithm, vnodes } = picked
  const all = positions(COUNTED)
  const counts = new Map(ids.map((id) => [id, 0]))
  let moved = 0
  const compare = before && before.algorithm === algorithm && before.vnodes === vnodes
  for (const position of all) {
    const now = owner(algorithm, ids, vnodes, position)
    counts.set(now, counts.get(now) + 1)
    if (compare && owner(algorithm, before.ids, vnodes, position) !== now) moved++
  }
  const colour = colours([...new Set([...ids, ...(before?.ids ?? [])])])
  const most = Math.max(...counts.values())
  const grew = compare && ids.length > before.ids.length
  return html`
    <p>${t('Each key has a place on the ring and belongs to the first token clockwise. A node has as many tokens as it has virtual nodes. Let a node join or leave, and see which keys have another owner: on a ring only those that the node gets or gives up, under modulo nearly all.')}</p>
    <div class="row">
      <label class="field"><span>${t('Algorithm')}</span><select id="lab-algorithm" @change=${(event) => { before = null; pick('algorithm', event.target.value) }}>
        <option value="ring" ?selected=${algorithm === 'ring'}>${t('ring')}</option><option value="modulo" ?selected=${algorithm === 'modulo'}>hash % N</option></select></label>
      ${slider('nodes', t('Nodes'), 1, 30, 1, ids.length, resize)}
      ${algorithm === 'ring' ? slider('vnodes', t('Virtual nodes'), 1, 200, 1, vnodes, (value) => { before = null; pick('vnodes', value) }) : nothing}
      <button type="button" id="lab-join" class="main" @click=${join}>${t('A node joins')}</button>
      <button type="button" id="lab-leave" ?disabled=${ids.length < 2} @click=${() => change(ids.filter((_, i) => i !== Math.floor(ids.length / 2)))}>${t('A node leaves')}</button>
    </div>
    <div class="ring">
      <div class="card stage"><canvas id="lab-ring" role="img" aria-label=${t('Keys inside the ring in the colour of their node; full ones have another owner than before')}></canvas></div>
      <div class="card">
        ${compare
          ? html`<div class="figure" id="lab-moved">${percent(moved / COUNTED)}</div><div class="label">${t('of 20,000 keys have another owner')};
              ${algorithm === 'modulo' ? t('on a ring it would be about') : t('the least possible is about')} ${percent(grew ? 1 / ids.length : 1 / before.ids.length)}</div>`
          : html`<p class="label">${t('Let a node join or leave.')}</p>`}
        <h3>${t('Keys by node')}</h3>
        <p class="label">${t('fullest / mean')}: ${(most / (COUNTED / ids.length)).toFixed(2)}</p>
        <table><tbody>${ids.map((id) => html`<tr><th scope="row">${dot(colour.get(id))} ${id}</th><td>${bar(counts.get(id) / most, colour.get(id), id)}</td><td class="number">${whole(counts.get(id))}</td></tr>`)}</tbody></table>
      </div>
    </div>`
}

function vnodesTab () {
  const n = 10
  const list = names(n)
  const counts = [1, 2, 5, 10, 20, 50, 100, 150, 200, 500, 1000]
  const measured = once('cv', () => counts.map((v) => [v, cv([...shares(ringOf(list, v)).values()])]))
  const expected = counts.map((v) => [v, theory(n, v)])
  const v = picked.vnodes
  const mine = shares(ringOf(list, v))
  const found = cv(list.map((id) => mine.get(id) ?? 0))
  return html`
    <p>${t('The more virtual nodes, the more even the shares: the coefficient of variation falls with the square root of their number, ten times as many cut it about 3.2-fold. The dashed line is theory, √((n−1)/(nv+1)); one draw of names lies about it.')}</p>
    <div class="row">${slider('cv-vnodes', t('Virtual nodes'), 1, 200, 1, v, (value) => pick('vnodes', value))}</div>
    <div class="grid">
      <div><div class="figure" id="lab-cv">${percent(found, 1)}</div><div class="label">${t('coefficient of variation of ten nodes')}</div></div>
      <div><div class="figure">${percent(theory(n, v), 1)}</div><div class="label">${t('by theory')}</div></div>
      <div><div class="figure">${(Math.max(...mine.values()) * n).toFixed(2)}</div><div class="label">${t('fullest / mean')}</div></div>
    </div>
    <div class="card">${chart({ lines: [{ kind: 'one', points: measured }, { kind: 'two', points: expected }], xs: [1, 10, 100, 1000], log: true, y: (value) => percent(value, 0), label: t('Coefficient of variation by virtual nodes, measured and by theory') })}
      <p class="label">${t('Virtual nodes, 1 to 1,000')}</p></div>`
}

function weakTab () {
  const list = names(picked.weakNodes)
  const vnodes = 100
  const [good, weak] = [ringOf(list, vnodes), weakRing(list, vnodes)]
  const [goodCv, weakCv] = [good, weak].map((ring) => cv(list.map((id) => shares(ring).get(id) ?? 0)))
  const worth = (value) => ((list.length - 1) / value ** 2 - 1) / list.length
  const side = (title, id, value) => html`<div class="card stage"><h2>${title}</h2><canvas id=${id} role="img" aria-label=${title}></canvas>
    <p>${t('coefficient of variation')} <strong>${percent(value, 1)}</strong>; ${t('as good as so many virtual nodes')}: <strong>${worth(value).toFixed(0)}</strong></p></div>`
  return html`
    <p>${t('A hash whose values differ can still be bad for a ring. Plain FNV-1a changes little when only the last digits of a name change, so the 100 virtual nodes of one node stand in clumps and count for a few. Both rings have the same names.')}</p>
    <div class="row">${slider('weak-nodes', t('Nodes'), 2, 16, 1, picked.weakNodes, (value) => pick('weakNodes', value))}</div>
    <div class="grid">${side('xxh3', 'lab-good', goodCv)}${side('FNV-1a 32', 'lab-weak', weakCv)}</div>`
}

function boundedTab () {
  const list = names(8)
  const ring = ringOf(list, 10)
  const sessions = positions(2000)
  const cap = Math.ceil((picked.bound * sessions.length) / list.length)
  const plain = new Map(list.map((id) => [id, 0]))
  const held = new Map(list.map((id) => [id, 0]))
  let away = 0
  for (const position of sessions) {
    let i = ring.indexAt(position)
    plain.set(ring.ids[i], plain.get(ring.ids[i]) + 1)
    const first = ring.ids[i]
    while (held.get(ring.ids[i]) >= cap) i = (i + 1) % ring.ids.length
    held.set(ring.ids[i], held.get(ring.ids[i]) + 1)
    if (ring.ids[i] !== first) away++
  }
  const most = Math.max(...plain.values())
  const colour = colours(list)
  return html`
    <p>${t('With bounded loads no node takes more than c times the mean: what is over walks on clockwise to the next node with room. 2,000 sessions, 8 nodes with ten virtual nodes each.')}</p>
    <div class="row">${slider('bound', 'c', 1, 2, 0.05, picked.bound, (value) => pick('bound', value))}</div>
    <div class="grid">
      <div><div class="figure" id="lab-cap">${cap}</div><div class="label">${t('sessions a node takes at most')}</div></div>
      <div><div class="figure">${percent(away / sessions.length, 1)}</div><div class="label">${t('are not on their first node')}</div></div>
      <div><div class="figure">${(most / (sessions.length / list.length)).toFixed(2)}</div><div class="label">${t('fullest / mean without a bound')}</div></div>
    </div>
    <div class="card wide"><table><thead><tr><th scope="col">${t('Node')}</th><th scope="col">${t('Without')}</th><th scope="col" class="number"></th><th scope="col">${t('Bounded')}</th><th scope="col" class="number"></th></tr></thead>
      <tbody>${list.map((id) => html`<tr><th scope="row">${dot(colour.get(id))} ${id}</th>
        <td>${bar(plain.get(id) / most, colour.get(id), id)}</td><td class="number">${plain.get(id)}</td>
        <td>${bar(held.get(id) / most, colour.get(id), id)}</td><td class="number">${held.get(id)}</td></tr>`)}</tbody></table></div>`
}

const TITLES = { ring: 'Ring and modulo', vnodes: 'Virtual nodes', weak: 'A weak hash', bounded: 'Bounded loads' }

export function view () {
  const bodies = { ring: ringTab, vnodes: vnodesTab, weak: weakTab, bounded: boundedTab }
  return html`
    <div class="head"><h2>${t('Lab')}</h2><span class="label">${t('All of this runs in your browser; no cluster is touched.')}</span></div>
    <div class="tabs" role="group" aria-label=${t('Experiments')}>${TABS.map((tab) => html`<button type="button" id="tab-${tab}"
      aria-pressed=${picked.tab === tab ? 'true' : 'false'} @click=${() => pick('tab', tab)}>${t(TITLES[tab])}</button>`)}</div>
    <div class="stack">${bodies[picked.tab]()}</div>`
}

export function leave () {
  views.forEach((view) => view.close())
  views = new Map()
}

function paint (id, options) {
  const canvas = document.getElementById(id)
  if (!canvas) return
  let view = views.get(id)
  if (!view || view.canvas !== canvas) {
    view?.close()
    view = new RingView(canvas)
    views.set(id, view)
  }
  view.show(options)
}

/** What the picture is made of; the same objects as long as nothing was changed. */
function picture () {
  const { algorithm, vnodes } = picked
  const compare = before && before.algorithm === algorithm && before.vnodes === vnodes ? before : null
  return once(`picture ${algorithm} ${vnodes} ${ids.join()} ${compare?.ids.join()} ${document.documentElement.dataset.theme}`, () => {
    const colour = colours([...new Set([...ids, ...(compare?.ids ?? [])])])
    const keys = positions(KEYS).map((position) => {
      const now = owner(algorithm, ids, vnodes, position)
      const moved = compare && owner(algorithm, compare.ids, vnodes, position) !== now
      return { position: Number(position >> 32n), colour: colour.get(now), hollow: compare !== null && !moved }
    })
    const ranges = algorithm === 'modulo' ? new Ranges([], new Uint32Array(0), new Uint32Array(0)) : rangesOf(ringOf(ids, vnodes))
    return { ranges, colours: colour, keys }
  })
}

export function drawn () {
  if (picked.tab === 'ring') paint('lab-ring', picture())
  if (picked.tab === 'weak') {
    const list = names(picked.weakNodes)
    const colour = colours(list)
    for (const [id, ring] of [['lab-good', ringOf(list, 100)], ['lab-weak', weakRing(list, 100)]]) {
      paint(id, { ranges: once(`ranges ${id} ${list.join()}`, () => rangesOf(ring)), colours: colour })
    }
  }
}
