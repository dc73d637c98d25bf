// The nodes as they are, and a change of them on paper: what would move and what each would carry, before anything is
// done.
import { html, nothing } from '../lib/lit-html.js'
import { ask, worded } from '../api.js'
import { confirm } from '../dialog.js'
import { bytes, colours, percent, rate, seconds, whole } from '../format.js'
import { bar, dot, phase } from '../parts.js'
import { Ranges, RingView } from '../ringview.js'
import { attempt, changed, mayOperate, state } from '../state.js'
import { t } from '../text.js'
import { ranges } from './ring.js'

const MOST_ROWS = 60
// With more nodes a picture of what would move is too much to send at every step of a slider.
const MOST_DRAWN = 100
const paper = { weights: new Map(), add: [], remove: new Set() }
const options = { keysPerSecond: '', canary: '', step: '', verify: false, why: '' }
let answer = null
let took = 0
let asked = 0
let running = null
let planned = false
let pending = false
let sought = ''
let ring = null
let moved = []
let drawnOf = null

const isEdited = () => paper.weights.size + paper.add.length + paper.remove.size > 0

function clear () {
  paper.weights.clear()
  paper.add = []
  paper.remove.clear()
  answer = null
  planned = false
  running?.abort()
  changed()
}

export function leave () {
  ring?.close()
  ring = null
  clear()
}

const edits = () => ({
  weights: Object.fromEntries([...paper.weights].filter(([id]) => !paper.remove.has(id))),
  add: paper.add,
  remove: [...paper.remove]
})

/** Asks what the edits would do; an answer that has been overtaken is dropped. */
async function figure () {
  if (!isEdited()) return clear()
  running?.abort()
  running = new AbortController()
  pending = true
  const mine = ++asked
  const began = performance.now()
  try {
    const result = await ask('POST', '/v1/changes', { ...edits(), ...moves(), dryRun: true, ranges: state.status.nodes.length <= MOST_DRAWN }, running.signal)
    if (mine !== asked) return
    answer = result
    pending = false
    took = performance.now() - began
    state.problem = null
  } catch (e) {
    if (e.name === 'AbortError' || mine !== asked) return
    answer = null
    pending = false
    state.problem = worded(e)
  }
  changed()
}

function moves () {
  const result = {}
  if (options.keysPerSecond !== '') result.keysPerSecond = Number(options.keysPerSecond)
  if (options.canary !== '') result.canary = Number(options.canary) / 100
  if (options.step !== '') result.step = Number(options.step) / 100
  if (options.verify) result.verify = true
  return result
}

function weigh (node, value) {
  const weight = Number(value)
  if (!Number.isFinite(weight) || weight < 0) return
  if (weight === node.weight) paper.weights.delete(node.id)
  else paper.weights.set(node.id, weight)
  changed()
  figure()
}

function toggleRemoval (node) {
  if (paper.remove.has(node.id)) paper.remove.delete(node.id)
  else paper.remove.add(node.id)
  changed()
  figure()
}

/** The next name in a row such as node-a, node-b. */
function nextName (nodes) {
  const ids = new Set([...nodes.map((node) => node.id), ...paper.add.map((node) => node.id)])
  const last = [...ids].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).pop() ?? 'node-'
  const number = last.match(/^(.*?)(\d+)$/)
  if (number) return number[1] + String(Number(number[2]) + 1).padStart(number[2].length, '0')
  const stem = last.replace(/[a-z]$/, '')
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    if (!ids.has(stem + letter)) return stem + letter
  }
  return `${last}-2`
}

function add (event, nodes) {
  event.preventDefault()
  const form = event.target.elements
  const node = { id: form.id.value.trim() || nextName(nodes), weight: Number(form.weight.value || 1) }
  if (form.address.value.trim()) node.address = form.address.value.trim()
  paper.add = [...paper.add, node]
  event.target.reset()
  changed()
  figure()
}

async function apply () {
  for (const id of paper.remove) {
    const yes = await confirm(t('Remove a node'),
      t('Its keys move to the others while clients go on. It leaves the list when it is verified to be empty.'),
      { name: id, action: t('Remove'), danger: true })
    if (!yes) return
  }
  for (const node of paper.add) {
    if (!node.address && !state.session.starts) {
      state.problem = `${node.id}: ${t('state the address of its server')}`
      return changed()
    }
  }
  const done = await attempt(() => ask('POST', '/v1/changes', { ...edits(), ...moves(), why: options.why || 'console', epoch: answer.fromEpoch }),
    t('Asked for: see the migration page.'))
  if (done) {
    options.why = ''
    clear()
    location.hash = '#/migration'
  }
}

const set = (name, checkbox = false) => (event) => {
  options[name] = checkbox ? event.target.checked : event.target.value
  changed()
  figure()
}

function row (node, colour, edited, after) {
  const weight = paper.weights.get(node.id) ?? node.weight
  const gone = paper.remove.has(node.id)
  return html`<tr>
    <th scope="row">${dot(colour)} ${node.id}<br><span class="mono">${node.address}</span></th>
    <td>${node.joins
      ? html`<span class="badge">${t('joins')}</span>`
      : node.up ? html`<span class="badge good">${t('up')}</span>` : html`<span class="badge bad">${t('down')}</span>`}</td>
    <td class="number">${percent(node.share)}</td>
    ${edited ? html`<td class="number paper">${after === undefined ? '' : html`<strong>${percent(after)}</strong>`}</td>` : nothing}
    <td>${bar(after ?? node.share ?? 0, colour, `${node.id} ${percent(after ?? node.share)}`)}</td>
    <td><label class="row"><span class="hidden">${t('Weight of')} ${node.id}</span>
      <input type="range" min="0" max=${Math.max(4, node.weight * 2)} step="0.05" .value=${String(weight)} ?disabled=${gone || node.joins}
        data-node=${node.id} @input=${(event) => weigh(node, event.target.value)}></label></td>
    <td><label><span class="hidden">${t('Weight of')} ${node.id}, ${t('exactly')}</span>
      <input type="number" min="0" step="0.05" .value=${String(weight)} ?disabled=${gone || node.joins} @change=${(event) => weigh(node, event.target.value)}></label></td>
    <td class="number">${node.keys === undefined ? '' : whole(node.keys)}</td>
    <td class="number">${node.memory ? `${bytes(node.memory)}${node.maxMemory ? ` / ${bytes(node.maxMemory)}` : ''}` : ''}</td>
    <td class="number">${node.rate === undefined ? '' : rate(node.rate)}</td>
    <td class="number">${node.probeMillis === undefined ? '' : `${node.probeMillis.toFixed(1)} ms`}</td>
    <td>${node.joins
      ? html`<button type="button" @click=${() => { paper.add = paper.add.filter((each) => each.id !== node.id); changed(); figure() }}>${t('Leave out')}</button>`
      : html`<button type="button" ?disabled=${gone || weight === 0} @click=${() => weigh(node, 0)}>${t('Drain')}</button>
        <button type="button" class="danger remove" data-node=${node.id} aria-pressed=${gone ? 'true' : 'false'} @click=${() => toggleRemoval(node)}>${gone ? t('Keep') : t('Remove')}</button>`}</td>
  </tr>`
}

function plan () {
  return html`
    <div class="wide"><table><thead><tr><th scope="col">${t('From')}</th><th scope="col">${t('To')}</th><th scope="col" class="number">${t('Share of all keys')}</th></tr></thead>
      <tbody>${answer.flows.slice(0, 40).map((flow) => html`<tr><td>${flow.from}</td><td>${flow.to}</td><td class="number">${percent(flow.share)}</td></tr>`)}</tbody></table></div>
    <p class="label">${t('In a terminal')}: <code>beltway plan --before now.yaml --after then.yaml</code></p>`
}

function paperwork (status) {
  const busy = status.phase !== 'STEADY' || status.gradual
  const most = answer?.nodes.reduce((a, b) => (b.after > a.after ? b : a), answer.nodes[0])
  return html`<div class="card stack" id="paper">
    <h2>${t('On paper')}</h2>
    ${answer
      ? html`<div class="grid">
          <div><div class="figure" id="moved">${percent(answer.moved)}</div><div class="label">${t('of the keys would move')}${answer.keys ? `: ${whole(answer.keys)}` : ''}</div></div>
          <div><div class="figure">${percent(most?.after)}</div><div class="label">${t('would be on the fullest')}, ${most?.id}</div></div>
          <div><div class="figure">${answer.seconds === undefined ? '–' : seconds(answer.seconds)}</div><div class="label">${answer.seconds === undefined ? t('state a rate, and the time is estimated') : t('it would take about')}</div></div>
          <div><div class="figure">${answer.steps}</div><div class="label">${t('steps')}</div></div>
        </div>
        <p class="label" id="took">${t('figured out in')} ${took.toFixed(0)} ms</p>`
      : html`<p class="label">${pending ? t('figuring …') : t('This can\u2019t be done as it is.')}</p>`}
    <div class="row">
      <label class="field"><span>${t('Keys a second')}</span><input type="number" min="0" step="1000" placeholder=${t('no limit')} .value=${options.keysPerSecond} @input=${set('keysPerSecond')}></label>
      <label class="field"><span>${t('Canary, %')}</span><input type="number" min="0" max="50" step="1" placeholder="0" .value=${options.canary} @input=${set('canary')}></label>
      <label class="field"><span>${t('In steps of, %')}</span><input type="number" min="0" max="50" step="5" placeholder=${t('at once')} .value=${options.step} @input=${set('step')}></label>
      <label class="field"><span>${t('Compare each key')}</span><input type="checkbox" .checked=${options.verify} @change=${set('verify', true)}></label>
      <label class="field"><span>${t('Why')}</span><input maxlength="200" .value=${options.why} @change=${(event) => { options.why = event.target.value }}></label>
    </div>
    <div class="row">
      <button type="button" id="plan" aria-expanded=${planned ? 'true' : 'false'} ?disabled=${!answer} @click=${() => { planned = !planned; changed() }}>${t('Plan')}</button>
      ${mayOperate() ? html`<button type="button" id="apply" class="main" ?disabled=${!answer || pending || busy} @click=${apply}>${t('Apply')}</button>` : nothing}
      <button type="button" id="clear" @click=${clear}>${t('Clear')}</button>
      ${busy ? html`<span class="warn">${t('A change is going on; this one can be applied when it is over.')}</span>` : nothing}
    </div>
    ${answer?.ranges?.ranged
      ? html`<canvas id="paper-ring" class="small" role="img" aria-label=${t('The ring as it is; outside it the parts that would move, in the colour of where they go')}></canvas>`
      : nothing}
    ${planned && answer ? plan() : nothing}
  </div>`
}

/** What was figured out for an epoch that holds no more is figured out again. */
export function drawn (status) {
  if (answer && !pending && answer.fromEpoch !== status.epoch) figure()
  const canvas = document.getElementById('paper-ring')
  const now = canvas && ranges(status.epoch)
  if (!canvas || !now || now === 'none') return
  if (!ring || ring.canvas !== canvas) {
    ring?.close()
    ring = new RingView(canvas)
  }
  if (answer !== drawnOf || ring.ranges !== now) {
    drawnOf = answer
    moved = answer?.ranges?.ranged ? now.moves(Ranges.of(answer.ranges)) : []
  }
  const ids = status.nodes.map((node) => node.id).concat(paper.add.map((node) => node.id))
  ring.show({ ranges: now, moves: moved, colours: colours(ids) })
}

export function view (status) {
  const joining = paper.add.map((node) => ({ ...node, joins: true, share: 0, address: node.address ?? '' }))
  const nodes = status.nodes.map((node) => ({ ...node, rate: state.rates?.get(node.id) })).concat(joining)
  const colour = colours(nodes.map((node) => node.id))
  const after = new Map((answer?.nodes ?? []).map((each) => [each.id, each.after]))
  const edited = isEdited()
  const found = nodes.filter((node) => node.id.includes(sought))
  return html`
    <div class="head">${phase(status)}<span>${t('Drag a weight, or add or remove a node: on paper first. Nothing is done until you apply it.')}</span></div>
    <div class="stack">
      ${edited ? paperwork(status) : nothing}
      ${nodes.length > MOST_ROWS
        ? html`<label class="field"><span>${t('Name has')}</span><input type="search" id="sought" .value=${sought} @input=${(event) => { sought = event.target.value; changed() }}>
            <span>${found.length > MOST_ROWS ? `${t('the first so many are shown')}: ${MOST_ROWS} / ${found.length}` : `${found.length} / ${nodes.length}`}</span></label>`
        : nothing}
      <div class="card wide"><table id="nodes">
        <thead><tr><th scope="col">${t('Node')}</th><th scope="col">${t('State')}</th><th scope="col" class="number">${t('Share')}</th>${edited ? html`<th scope="col" class="number">${t('On paper')}</th>` : nothing}
          <th scope="col"><span class="hidden">${t('Share')}</span></th><th scope="col">${t('Weight')}</th><th scope="col"><span class="hidden">${t('Weight')}</span></th>
          <th scope="col" class="number">${t('Keys')}</th><th scope="col" class="number">${t('Memory')}</th><th scope="col" class="number">${t('Requests/s')}</th>
          <th scope="col" class="number">${t('Probe')}</th><th scope="col"><span class="hidden">${t('Actions')}</span></th></tr></thead>
        <tbody>${found.slice(0, MOST_ROWS).map((node) => row(node, colour.get(node.id), edited, edited ? after.get(node.id) ?? (paper.remove.has(node.id) ? 0 : undefined) : undefined))}</tbody>
      </table></div>
      <form class="card" @submit=${(event) => add(event, status.nodes)} id="add">
        <h2>${t('Add a node')}</h2>
        <div class="row">
          <label class="field"><span>${t('Name')}</span><input name="id" placeholder=${nextName(status.nodes)} maxlength="64" spellcheck="false" autocomplete="off"></label>
          <label class="field"><span>${t('Address')}</span><input name="address" placeholder=${state.session.starts ? t('a server is started') : 'host:6379'} spellcheck="false" autocomplete="off"></label>
          <label class="field"><span>${t('Weight')}</span><input name="weight" type="number" min="0" step="0.05" placeholder="1"></label>
          <button>${t('Add on paper')}</button>
        </div>
      </form>
    </div>`
}
