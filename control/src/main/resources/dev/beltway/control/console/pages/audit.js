import { html, nothing } from '../lib/lit-html.js'
import { ask, get } from '../api.js'
import { confirm } from '../dialog.js'
import { percent, time } from '../format.js'
import { PHASES } from '../parts.js'
import { attempt, changed, mayOperate, trouble } from '../state.js'
import { t } from '../text.js'

let entries = null
let epochs = null
let version = -1
let diff = null
let asking = false

export function enter () {
  version = -1
  diff = null
}

async function load (status) {
  if (asking) return
  asking = true
  version = status.version
  try {
    const all = await Promise.all([get('/v1/audit?limit=100'), get('/v1/epochs')])
    entries = all[0]
    epochs = all[1]
    trouble('audit', null)
  } catch (e) {
    trouble('audit', e)
  }
  asking = false
}

async function compare (from, to) {
  diff = await attempt(() => get(`/v1/epochs/${to}/diff?from=${from}`))
  changed()
}

async function rollback (epoch) {
  const paper = await attempt(() => ask('POST', '/v1/rollback', { to: epoch, dryRun: true }))
  if (!paper) return
  const yes = await confirm(`${t('Roll back to epoch')} ${epoch}`,
    `${percent(paper.moved)} ${t('of the keys move, while clients go on. The mapping comes back as a new epoch.')}`,
    { action: t('Roll back') })
  if (yes) await attempt(() => ask('POST', '/v1/rollback', { to: epoch, why: 'console' }), t('Asked for: see the migration page.'))
}

const shown = (node) => (node ? html`${node.address} · ${t('weight')} ${node.weight}${node.zone ? ` · ${node.zone}` : ''}` : '–')

const difference = () => html`<div class="card wide" id="diff"><h2>${t('From epoch')} ${diff.fromEpoch} ${t('to epoch')} ${diff.epoch}</h2>
  <p>${percent(diff.moved)} ${t('of the keys have another owner')}${diff.sameRule ? '' : `; ${t('the placement itself is another one')}`}</p>
  ${diff.edits.length === 0
    ? html`<p class="label">${t('The nodes are the same.')}</p>`
    : html`<table><thead><tr><th scope="col">${t('Node')}</th><th scope="col">${t('Before')}</th><th scope="col">${t('After')}</th></tr></thead>
      <tbody>${diff.edits.map((edit) => html`<tr><th scope="row">${edit.id}</th><td>${shown(edit.before)}</td><td>${shown(edit.after)}</td></tr>`)}</tbody></table>`}
</div>`

export function view (status) {
  const busy = status.phase !== 'STEADY' || status.gradual
  return html`
    <div class="head"><h2>${t('Epochs and audit')}</h2></div>
    <div class="stack">
      <div class="card wide"><h2>${t('Epochs')}</h2><table>
        <thead><tr><th scope="col" class="number">${t('Epoch')}</th><th scope="col">${t('Algorithm')}</th><th scope="col" class="number">${t('Nodes')}</th>
          <th scope="col">${t('Fingerprint')}</th><th scope="col"><span class="hidden">${t('Actions')}</span></th></tr></thead>
        <tbody>${(epochs ?? []).slice(0, 20).map((each) => html`<tr><th scope="row" class="number">${each.epoch}</th><td>${each.algorithm}</td>
          <td class="number">${each.nodes}</td><td class="mono">${each.fingerprint}</td>
          <td>${each.holds
            ? html`<span class="badge good">${t('holds')}</span>`
            : html`<button type="button" @click=${() => compare(each.epoch, status.epoch)}>${t('Compare')}</button>
              ${mayOperate() ? html`<button type="button" class="rollback" data-epoch=${each.epoch} ?disabled=${busy} @click=${() => rollback(each.epoch)}>${t('Roll back')} …</button>` : nothing}`}
          </td></tr>`)}</tbody></table></div>
      ${diff ? difference() : nothing}
      <div class="card wide"><h2>${t('Audit')}</h2><table>
        <thead><tr><th scope="col">${t('When')}</th><th scope="col">${t('Who')}</th><th scope="col">${t('What')}</th><th scope="col">${t('Why')}</th>
          <th scope="col">${t('Phase')}</th><th scope="col">${t('Epoch')}</th></tr></thead>
        <tbody>${(entries ?? []).map((entry) => html`<tr><td>${time(entry.at)}</td><td>${entry.who}</td><td class="text">${entry.what}</td><td class="text">${entry.why}</td>
          <td>${t(PHASES[entry.phase]?.[1] ?? entry.phase)}</td><td>${entry.epoch}${entry.nextEpoch && entry.nextEpoch !== entry.epoch ? ` → ${entry.nextEpoch}` : ''}</td></tr>`)}</tbody></table></div>
    </div>`
}

export function drawn (status) {
  if (status && status.version !== version) load(status)
}
