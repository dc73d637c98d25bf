import { html, nothing } from '../lib/lit-html.js'
import { percent, rate, whole } from '../format.js'
import { phase, spark, waits } from '../parts.js'
import { state } from '../state.js'
import { t } from '../text.js'

const worst = (ratios) => Object.entries(ratios ?? {}).reduce((most, each) => (Math.abs(each[1]) > Math.abs(most[1]) ? each : most), ['', 0])

function story (status) {
  const move = status.migration
  if (status.phase === 'EMPTY') return t('There is no topology yet: beltway apply pool.yaml stores the first one.')
  if (!move || status.phase === 'STEADY') return t('Every key is where it belongs.')
  if (status.phase !== 'MOVING') return t('A change is being prepared; clients go on.')
  return `${t('Keys are moving')}: ${whole(move.keys)} ${t('of')} ${whole(move.plannedKeys)}`
}

function deviation (status) {
  const found = status.deviation
  if (!found?.known) {
    return html`<div class="figure">–</div><div class="label">${t('not measured yet')}${found?.missing ? `: ${found.missing}` : ''}</div>`
  }
  const [node, keys] = worst(found.keys)
  const [busy, requests] = worst(found.requests)
  return html`<div class="figure ${Math.abs(keys) > 0.1 ? 'bad' : ''}">${percent(keys, 1)}</div>
    <div class="label">${t('by keys')}${node ? ` (${node})` : ''}; ${t('by requests')} ${percent(requests, 1)}${busy ? ` (${busy})` : ''}</div>`
}

function load (found) {
  if (!found || found.requests === undefined) return nothing
  const clean = found.misses + found.wrong + found.errors === 0
  return html`<div class="card" id="load"><h2>${t('Sample load')}</h2>
    <div class="figure ${clean ? 'good' : 'bad'}"><span id="misses">${whole(found.misses)}</span> ${t('misses')}</div>
    <div class="label">${whole(found.requests)} ${t('requests')}, <span id="errors">${whole(found.errors)}</span> ${t('errors')},
      ${whole(found.wrong)} ${t('wrong values')}</div>
    ${found.error ? html`<p class="bad">${found.error}</p>` : nothing}</div>`
}

export function view (status) {
  const nodes = status.nodes ?? []
  const up = nodes.filter((node) => node.up)
  const covered = up.reduce((sum, node) => sum + (node.share ?? 0), 0)
  const requests = state.samples.map((sample) => sample.requests)
  return html`
    <div class="head">${phase(status)}<span>${story(status)}</span></div>
    <div class="grid">
      <div class="card"><h2>${t('Requests at the nodes')}</h2>
        <div class="figure">${requests.length ? rate(requests[requests.length - 1]) : '–'}<span class="label"> /s</span></div>
        ${spark(requests, t('Requests at the nodes'))}</div>
      <div class="card"><h2>${t('Health')}</h2>
        <div class="figure ${up.length === nodes.length ? 'good' : 'bad'}">${up.length} / ${nodes.length}</div>
        <div class="label">${t('nodes are up; they own')} ${percent(covered)} ${t('of the keys')}</div>
        <div class="label">${(status.proxies ?? []).filter((proxy) => proxy.live).length} / ${(status.proxies ?? []).length} ${t('proxies are live')}</div></div>
      <div class="card"><h2>${t('Deviation from the plan')}</h2>${deviation(status)}</div>
      <div class="card"><h2>${t('Topology')}</h2>
        <div class="figure">${t('epoch')} <span id="epoch">${status.epoch ?? '–'}</span></div>
        <div class="label">${t('fingerprint')} <span class="mono">${status.fingerprint ?? ''}</span></div></div>
      ${load(status.load)}
    </div>
    <div class="stack">
      ${waits(status)}
      ${status.load
        ? html`<div class="card"><h2>${t('Try')}</h2>
          <ul class="plain">
            <li><a href="#/nodes">${t('Add a node, and watch its share of the keys move while the load goes on')}</a></li>
            <li><a href="#/ring">${t('Look at the ring: who owns what')}</a></li>
            <li><a href="#/audit">${t('Take a change back: roll back to an earlier epoch')}</a></li>
            <li><a href="#/lab">${t('Learn in the lab why modulo loses nearly every key, and what virtual nodes are for')}</a></li>
          </ul></div>`
        : nothing}
      ${status.reports?.length
        ? html`<div class="card"><h2>${t('Reports')}</h2><ul class="plain mono">${status.reports.slice(-12).reverse().map((text) => html`<li>${text}</li>`)}</ul></div>`
        : nothing}
    </div>`
}
