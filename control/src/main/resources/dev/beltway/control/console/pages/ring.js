import { html, nothing } from '../lib/lit-html.js'
import { get } from '../api.js'
import { colours, percent, whole } from '../format.js'
import { dot, phase } from '../parts.js'
import { Ranges, RingView } from '../ringview.js'
import { changed, trouble } from '../state.js'
import { t } from '../text.js'

const MOST_LISTED = 60
const AGAIN_MILLIS = 3000

const loaded = new Map()
let ring = null
let marked = null
let pointed = null
let moves = []
let movesOf = ''

export function leave () {
  ring?.close()
  ring = null
  marked = pointed = null
}

/** The ranges of an epoch, which never change, fetched once; null until they are there. */
export function ranges (epoch) {
  if (!epoch) return null
  if (!loaded.has(epoch)) {
    loaded.set(epoch, null)
    if (loaded.size > 6) loaded.delete(loaded.keys().next().value)
    get(`/v1/ranges?epoch=${epoch}`).then((document) => {
      loaded.set(epoch, document.ranged ? Ranges.of(document) : 'none')
      trouble('ring', null)
    }, (e) => {
      setTimeout(() => { loaded.delete(epoch); changed() }, AGAIN_MILLIS)
      trouble('ring', e)
    })
  }
  return loaded.get(epoch)
}

function progress (status) {
  const done = new Map()
  for (const source of status.migration?.sources ?? []) done.set(source.node, source.covered)
  const moving = status.phase === 'MOVING'
  return (move) => (moving ? Math.min(1, done.get(move.from) ?? 0) : 0)
}

function hover (event) {
  const box = event.currentTarget.getBoundingClientRect()
  const [x, y] = [event.clientX - box.left, event.clientY - box.top]
  const position = ring?.positionAt(x, y) ?? null
  pointed = position === null ? null : { x, y, position }
  changed()
}

function tip (status, now) {
  if (!pointed || !now || now === 'none') return nothing
  const owner = now.ownerAt(pointed.position)
  const node = status.nodes.find((each) => each.id === owner)
  const move = moves.find((each) => each.start < pointed.position && pointed.position <= each.end)
  return html`<div class="tip" id="tip">${owner}: ${percent(node?.share)}${move ? html`<br>→ ${move.to}` : nothing}</div>`
}

function centre (status) {
  const move = status.migration
  if (status.phase !== 'MOVING' || !move?.plannedKeys) {
    return html`<span class="figure">${status.nodes.length}</span><span class="label">${t('nodes, epoch')} ${status.epoch}</span>`
  }
  return html`<span class="figure">${percent(Math.min(1, move.keys / move.plannedKeys), 0)}</span>
    <span class="label">${whole(move.keys)} / ${whole(move.plannedKeys)} ${t('keys have moved')}</span>`
}

const mark = (id) => { marked = marked === id ? null : id; changed() }

export function view (status) {
  const now = ranges(status.epoch)
  const ids = status.nodes.map((node) => node.id)
  const colour = colours(ids)
  const listed = status.nodes.slice().sort((a, b) => (b.nextShare ?? b.share) - (a.nextShare ?? a.share)).slice(0, MOST_LISTED)
  return html`
    <div class="head">${phase(status)}<span>${t('epoch')} ${status.epoch}${status.nextEpoch ? ` → ${status.nextEpoch}` : ''}</span>
      ${now && now !== 'none' ? html`<span class="label">${whole(now.size)} ${t('ranges')}</span>` : nothing}</div>
    ${now === 'none'
      ? html`<p class="note">${t('This algorithm has no ranges that could be drawn.')}</p>`
      : html`<div class="ring">
        <div class="card stage">
          <canvas id="ring" role="img" aria-label=${t('The ring: each colour is the part of one node; outside it are the parts that move')}
            @pointermove=${hover} @pointerleave=${() => { pointed = null; changed() }}
            @click=${() => { if (pointed && now) mark(now.ownerAt(pointed.position)) }}></canvas>
          <div class="centre" aria-hidden="true">${centre(status)}</div>
          ${tip(status, now)}
        </div>
        <div class="card">
          <h2>${t('Who owns how much')}</h2>
          <div class="legend" role="group" aria-label=${t('Nodes')}>
            ${listed.map((node) => html`<button type="button" aria-pressed=${marked === node.id ? 'true' : 'false'} @click=${() => mark(node.id)}>
              ${dot(colour.get(node.id))}<span class="name">${node.id}</span>
              <span class="label">${percent(node.share)}${node.nextShare !== undefined ? ` → ${percent(node.nextShare)}` : ''}</span></button>`)}
          </div>
          ${status.nodes.length > listed.length ? html`<p class="label">${t('and so many more')}: ${status.nodes.length - listed.length}</p>` : nothing}
          <p class="label">${t('Choose a node to see its parts alone.')}</p>
        </div>
      </div>`}`
}

/** After the page is in place: puts the picture on its canvas. */
export function drawn (status) {
  const canvas = document.getElementById('ring')
  const now = status && ranges(status.epoch)
  if (!canvas || !now || now === 'none') return
  if (!ring || ring.canvas !== canvas) {
    ring?.close()
    ring = new RingView(canvas)
    canvas.ringView = ring // Where measurements find it.
  }
  const next = status.nextEpoch ? ranges(status.nextEpoch) : null
  const pair = next && next !== 'none' ? `${status.epoch}>${status.nextEpoch}` : ''
  if (pair !== movesOf || (pair && moves.length === 0)) {
    movesOf = pair
    moves = pair ? now.moves(next) : []
  }
  const tipped = document.getElementById('tip')
  if (tipped && pointed) {
    tipped.style.left = `${Math.min(pointed.x + 28, canvas.clientWidth - 120)}px`
    tipped.style.top = `${pointed.y + 24}px`
  }
  ring.show({ ranges: now, moves, colours: colours(status.nodes.map((node) => node.id)), marked, progress: progress(status) })
}
