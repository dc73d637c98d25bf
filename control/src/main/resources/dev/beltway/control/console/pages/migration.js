import { html, nothing } from '../lib/lit-html.js'
import { ask, get } from '../api.js'
import { confirm } from '../dialog.js'
import { bytes, colours, percent, rate, seconds, time, whole } from '../format.js'
import { bar, phase, spark, waits } from '../parts.js'
import { attempt, mayOperate, state, trouble } from '../state.js'
import { t } from '../text.js'

let reports = null
let reported = -1
let scrub = null
let timer = 0
// Which stay on this page it is: what an earlier one began ends.
let visit = 0
let throttle = ''

export function enter () {
  reported = -1
  look(++visit)
}

export function leave () {
  visit++
  clearTimeout(timer)
}

async function load (status) {
  reported = status.version
  try {
    reports = await get('/v1/moves?limit=10')
    trouble('migration', null)
  } catch (e) {
    trouble('migration', e)
  }
}

/** Looks how far a scrub is, and again while one goes on. */
async function look (mine) {
  try {
    scrub = await get('/v1/scrub')
    trouble('migration', null)
  } catch (e) {
    trouble('migration', e)
  }
  const going = scrub?.number !== undefined && scrub.ended === false
  if (going && mine === visit) {
    clearTimeout(timer)
    timer = setTimeout(look, 700, mine)
  }
}

async function startScrub () {
  if (await attempt(() => ask('POST', '/v1/scrub', { why: 'console' }))) look(visit)
}

async function abort (status) {
  const yes = await confirm(t('Take the change back'),
    t('Keys that have moved move back, while clients go on.'), { action: t('Take back'), danger: true })
  if (yes) await attempt(() => ask('POST', '/v1/abort', { why: 'console' }), t('It is being taken back.'))
}

const pause = () => attempt(() => ask('POST', '/v1/pause', { why: 'console' }), t('Paused: only keys that clients ask for move.'))
const resume = () => attempt(() => ask('POST', '/v1/resume', { why: 'console' }), t('It goes on.'))

async function slow (event) {
  event.preventDefault()
  await attempt(() => ask('PATCH', '/v1/migration', { keysPerSecond: Number(throttle || 0), why: 'console' }), t('The throttle is set.'))
}

function going (status) {
  const move = status.migration ?? {}
  const planned = move.plannedKeys || 0
  const done = status.phase === 'MOVING' && planned > 0 ? Math.min(1, move.keys / planned) : 0
  const rates = state.samples.slice(-120).map((sample) => sample.moving)
  return html`
    <div class="card stack" id="going">
      <div class="head"><h2>${status.change?.what ?? status.gradual?.what ?? ''}</h2>
        <span class="label">${status.change?.who ?? ''}${status.change?.why ? ` · ${status.change.why}` : ''}</span></div>
      <progress max="1" .value=${done} aria-label=${t('Progress')}></progress>
      <div class="grid">
        <div><div class="figure" id="moved-keys">${whole(move.keys)}</div><div class="label">${move.counted < 1 ? t('keys have moved; all are being counted') : html`${t('of')} ${whole(planned)} ${t('keys have moved')}`}</div></div>
        <div><div class="figure">${rate(move.keysPerSecond)}</div><div class="label">${t('keys a second')}, ${bytes(move.bytesPerSecond)}/s</div>${spark(rates, t('keys a second'))}</div>
        <div><div class="figure">${move.secondsLeft === undefined ? '–' : seconds(move.secondsLeft)}</div><div class="label">${t('left')}</div></div>
        <div><div class="figure">${status.legs > 1 ? `${status.leg} / ${status.legs}` : '1'}</div><div class="label">${t('part')}${status.gradual ? `; ${t('steps left')}: ${status.gradual.stepsLeft}` : ''}</div></div>
      </div>
      ${status.pause ? html`<p class="warn">${t('paused')}: ${status.pause}</p>` : nothing}
      ${mayOperate()
        ? html`<div class="row">
          ${status.pause || status.gradual?.checked ? html`<button type="button" id="resume" class="main" @click=${resume}>${t('Resume')}</button>` : nothing}
          ${status.pause ? nothing : html`<button type="button" id="pause" @click=${pause}>${t('Pause')}</button>`}
          <button type="button" id="abort" class="danger" ?disabled=${status.phase === 'REVERSING'} @click=${() => abort(status)}>${t('Take back')} …</button>
          <form class="row" @submit=${slow}><label class="field"><span>${t('Keys a second; 0 for no limit')}</span>
            <input type="number" min="0" step="1000" placeholder=${String(move.throttle?.keysPerSecond ?? 0)} .value=${throttle} @input=${(event) => { throttle = event.target.value }}></label>
            <button>${t('Throttle')}</button></form></div>`
        : nothing}
    </div>
    ${flows(status, move)}
    ${bigKeys(move)}`
}

function flows (status, move) {
  if (!move.flows?.length) return nothing
  const colour = colours(status.nodes.map((node) => node.id))
  return html`<div class="card wide"><h2>${t('By range')}</h2><table>
    <thead><tr><th scope="col">${t('From')}</th><th scope="col">${t('To')}</th><th scope="col" class="number">${t('Keys')}</th>
      <th scope="col" class="number">${t('Planned')}</th><th scope="col"><span class="hidden">${t('Progress')}</span></th><th scope="col" class="number">${t('Bytes')}</th></tr></thead>
    <tbody>${move.flows.slice(0, 100).map((flow) => html`<tr><td>${flow.from}</td><td>${flow.to}</td><td class="number">${whole(flow.keys)}</td>
      <td class="number">${whole(flow.plannedKeys)}</td><td>${bar(flow.plannedKeys ? flow.keys / flow.plannedKeys : 0, colour.get(flow.to), `${flow.from} → ${flow.to}`)}</td>
      <td class="number">${bytes(flow.bytes)}</td></tr>`)}</tbody></table></div>`
}

function bigKeys (move) {
  const all = (move.sources ?? []).flatMap((source) => source.bigKeys.map((key) => [source.node, key, source.bigKey]))
  if (all.length === 0) return nothing
  return html`<div class="card"><h2>${t('Big keys')}</h2><ul class="plain">${all.slice(0, 50).map(([node, key, now]) => html`
    <li><span class="mono">${key}</span> · ${node}${now && key.startsWith(now + ' (') ? html` <span class="badge warn">${t('is being copied')}</span>` : nothing}</li>`)}</ul></div>`
}

function report (each) {
  const keys = (each.sources ?? []).reduce((sum, source) => sum + (source.allKeys ?? Object.values(source.keys ?? {}).reduce((a, b) => a + b, 0)), 0)
  return html`<tr><td class="text">${each.what}</td><td>${each.epoch} → ${each.nextEpoch}${each.legs > 1 ? ` (${each.leg}/${each.legs})` : ''}</td>
    <td><span class="badge ${each.outcome === 'done' ? 'good' : 'warn'}">${t(each.outcome)}</span></td><td class="number">${whole(keys)}</td>
    <td class="number">${seconds(each.seconds)}</td><td>${time(each.ended)}</td></tr>`
}

function scrubCard (status) {
  const nodes = Object.entries(scrub?.nodes ?? {})
  const wrong = nodes.reduce((sum, [, each]) => sum + each.duplicates + each.orphans, 0)
  const going = scrub?.number !== undefined && scrub.ended === false
  return html`<div class="card stack" id="scrub"><h2>${t('Is every key on its owner, and only there?')}</h2>
    ${scrub?.ended
      ? html`<p class=${wrong ? 'bad' : 'good'} id="scrubbed">${wrong ? `${whole(wrong)} ${t('keys are not where they belong')}` : t('Every key is on its owner, and only there.')}
        (${nodes.map(([id, each]) => `${id}: ${whole(each.keys)}`).join(', ')})</p>`
      : going ? html`<p class="label">${t('looking at every key …')}</p>` : nothing}
    ${mayOperate() ? html`<button type="button" id="start-scrub" ?disabled=${going || status.phase !== 'STEADY'} @click=${startScrub}>${t('Look at every key')}</button>` : nothing}</div>`
}

export function view (status) {
  const quiet = status.phase === 'STEADY' && !status.gradual
  return html`
    <div class="head">${phase(status)}<span>${t('epoch')} ${status.epoch}${status.nextEpoch ? ` → ${status.nextEpoch}` : ''}</span></div>
    <div class="stack">
      ${waits(status)}
      ${quiet ? html`<p class="note">${t('No keys are moving.')} <a href="#/nodes">${t('Change the nodes')}</a></p>` : going(status)}
      <div class="card wide"><h2>${t('Reports')}</h2>
        ${reports?.length
          ? html`<table id="reports"><thead><tr><th scope="col">${t('What')}</th><th scope="col">${t('Epoch')}</th><th scope="col">${t('Outcome')}</th>
            <th scope="col" class="number">${t('Keys')}</th><th scope="col" class="number">${t('Took')}</th><th scope="col">${t('Ended')}</th></tr></thead>
            <tbody>${reports.map(report)}</tbody></table>`
          : html`<p class="label">${t('No keys have moved yet.')}</p>`}</div>
      ${scrubCard(status)}
    </div>`
}

export function drawn (status) {
  if (status && status.version !== reported) load(status)
}
