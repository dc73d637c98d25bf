import { html, nothing } from '../lib/lit-html.js'
import { ask } from '../api.js'
import { confirm } from '../dialog.js'
import { time } from '../format.js'
import { attempt, mayOperate } from '../state.js'
import { t } from '../text.js'

async function forget (proxy) {
  const yes = await confirm(t('Shut out a proxy'),
    t('Its login is deleted at every node. Do this if it is gone for good or does not answer; one that still runs registers anew.'),
    { name: proxy.name, action: t('Shut out'), danger: true })
  if (yes) await attempt(() => ask('DELETE', `/v1/proxies/${encodeURIComponent(proxy.name)}?why=console`), t('It is being shut out.'))
}

function condition (proxy, status) {
  if (!proxy.live) return html`<span class="badge bad">${t('silent')}</span>`
  if (!proxy.admitted) return html`<span class="badge warn">${t('not admitted yet')}</span>`
  return proxy.acknowledged < status.version
    ? html`<span class="badge warn">${t('behind')}</span>`
    : html`<span class="badge good">${t('is live')}</span>`
}

export const view = (status) => html`
  <div class="head"><h2>${t('Proxies')}</h2></div>
  <div class="card wide"><table>
    <thead><tr><th scope="col">${t('Proxy')}</th><th scope="col">${t('Address')}</th><th scope="col">${t('State')}</th>
      <th scope="col" class="number">${t('Acknowledged')}</th><th scope="col">${t('Since')}</th><th scope="col"><span class="hidden">${t('Actions')}</span></th></tr></thead>
    <tbody>${(status.proxies ?? []).map((proxy) => html`<tr>
      <th scope="row">${proxy.name}</th><td class="mono">${proxy.address}</td><td>${condition(proxy, status)}</td>
      <td class="number">${proxy.acknowledged} / ${status.version}</td><td>${time(proxy.since)}</td>
      <td>${mayOperate() ? html`<button type="button" class="danger" @click=${() => forget(proxy)}>${t('Shut out')} …</button>` : nothing}</td></tr>`)}
    </tbody></table>
    ${(status.proxies ?? []).length === 0 ? html`<p class="label">${t('No proxy is registered: beltway proxy --control starts one.')}</p>` : nothing}
  </div>`
