import { html, nothing } from '../lib/lit-html.js'
import { get } from '../api.js'
import { changed, state, trouble } from '../state.js'
import { t } from '../text.js'

let topology = null

export function enter () {
  topology = null
}

async function load (status) {
  topology = { epoch: status.epoch, topology: '…' }
  try {
    topology = await get(`/v1/epochs/${status.epoch}`)
    trouble('settings', null)
  } catch (e) {
    setTimeout(() => { topology = null; changed() }, 3000)
    trouble('settings', e)
  }
}

export const view = (status) => html`
  <div class="head"><h2>${t('Settings')}</h2></div>
  <div class="grid">
    <div class="card"><h2>${t('Who you are')}</h2>
      <p>${state.session.open
        ? t('Control was started without keys: anybody on this machine may do everything, nobody from elsewhere.')
        : html`${state.session.name}: ${state.session.role}`}</p></div>
    <div class="card"><h2>${t('Control')}</h2>
      <p>${t('The process that leads')}: <span class="mono">${status.leader || '–'}</span></p>
      <p>${t('State version')}: ${status.version}</p>
      <p><a href="/v1/openapi.json">${t('Description of the API')}</a></p></div>
  </div>
  <div class="card"><h2>${t('Topology file')}, ${t('epoch')} ${topology?.epoch ?? status.epoch}</h2>
    ${topology ? html`<pre class="mono wide" id="topology">${topology.topology}</pre>` : nothing}
    <p class="label">${t('In a terminal: beltway apply FILE makes a file the topology; --dry-run says what that would do.')}</p></div>`

export function drawn (status) {
  if (status?.epoch && (!topology || topology.epoch !== status.epoch)) load(status)
}
