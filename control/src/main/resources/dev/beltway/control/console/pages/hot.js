import { html, nothing } from '../lib/lit-html.js'
import { get } from '../api.js'
import { colours, percent, whole } from '../format.js'
import { bar, dot } from '../parts.js'
import { trouble } from '../state.js'
import { t } from '../text.js'

const EVERY_MILLIS = 2500

let found = null
let timer = 0
// Which stay on this page it is: what an earlier one began ends.
let visit = 0

async function load (mine) {
  try {
    found = await get('/v1/hot')
    trouble('hot', null)
  } catch (e) {
    trouble('hot', e)
  }
  if (mine === visit) timer = setTimeout(load, EVERY_MILLIS, mine)
}

export function enter () {
  load(++visit)
}

export function leave () {
  visit++
  clearTimeout(timer)
}

function row (each, colour, most) {
  return html`<tr><th scope="row" class="mono">${each.key}</th><td>${each.node ? html`${dot(colour.get(each.node) ?? '#888')} ${each.node}` : '–'}</td>
    <td class="number">${percent(each.share)}</td><td>${bar(each.share / most, colour.get(each.node) ?? '#888', each.key)}</td>
    <td class="number">${whole(each.countedAtLeast)} – ${whole(each.countedAtMost)}</td></tr>`
}

export function view (status) {
  const colour = colours(status.nodes.map((node) => node.id))
  const keys = found?.keys ?? []
  return html`
    <div class="head"><h2>${t('Hot keys')}</h2>
      ${found ? html`<span class="label">${whole(found.requests)} ${t('keys asked for in the last seconds')}, ${whole(found.sampled)} ${t('of them counted')}</span>` : nothing}</div>
    <div class="stack">
      <p class="note">${t('What clients ask for most, from a sample at each proxy. No number of virtual nodes divides one key: a key with a large share needs a cache near its clients, copies, or to be split.')}</p>
      <div class="card wide">
        ${keys.length
          ? html`<table id="hot"><thead><tr><th scope="col">${t('Key')}</th><th scope="col">${t('Node')}</th><th scope="col" class="number">${t('Share of requests')}</th>
              <th scope="col"><span class="hidden">${t('Share')}</span></th><th scope="col" class="number">${t('Counted')}</th></tr></thead>
              <tbody>${keys.map((each) => row(each, colour, keys[0].share))}</tbody></table>`
          : html`<p class="label">${found ? t('No key stands out.') : t('gathering figures …')}</p>`}
      </div>
    </div>`
}
