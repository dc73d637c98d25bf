// The frame of the console: login, navigation, and the page that the address names.
import { html, render, nothing } from './lib/lit-html.js'
import { ask, get } from './api.js'
import { matches } from './format.js'
import { changed, ended, listen, onChange, state } from './state.js'
import { language, setLanguage, t } from './text.js'
import * as overview from './pages/overview.js'
import * as ring from './pages/ring.js'
import * as nodes from './pages/nodes.js'
import * as migration from './pages/migration.js'
import * as proxies from './pages/proxies.js'
import * as audit from './pages/audit.js'
import * as settings from './pages/settings.js'
import * as hot from './pages/hot.js'
import * as lab from './pages/lab.js'

const PAGES = {
  overview: ['Overview', overview],
  ring: ['Ring', ring],
  nodes: ['Nodes', nodes],
  migration: ['Migration', migration],
  hot: ['Hot keys', hot],
  proxies: ['Proxies', proxies],
  audit: ['Audit', audit],
  lab: ['Lab', lab],
  settings: ['Settings', settings]
}

const app = document.getElementById('app')
let shown = null
let turned = false

const named = () => {
  const name = location.hash.replace(/^#\/?/, '').split('?')[0]
  return Object.hasOwn(PAGES, name) ? name : 'overview'
}

function theme () {
  document.documentElement.dataset.theme = matches('dark') ? 'light' : 'dark'
  keep('beltway-theme', document.documentElement.dataset.theme)
  changed()
}

function keep (name, value) {
  try {
    localStorage.setItem(name, value)
  } catch { /* A browser that keeps nothing forgets it. */ }
}

function kept (name) {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

function speak (chosen) {
  setLanguage(chosen)
  keep('beltway-language', chosen)
  changed()
}

async function leave () {
  try {
    await ask('DELETE', '/v1/session')
    ended()
  } catch (e) {
    state.problem = e.message
    changed()
  }
}

const choices = () => html`
  <div class="row">
    <button type="button" id="language" @click=${() => speak(language() === 'zh' ? 'en' : 'zh')}
      lang=${language() === 'zh' ? 'en' : 'zh'}>${language() === 'zh' ? 'English' : '中文'}</button>
    <button type="button" id="theme" @click=${theme}>${matches('dark') ? t('Light') : t('Dark')}</button>
  </div>`

function login () {
  const enter = async (event) => {
    event.preventDefault()
    const key = event.target.elements.key
    try {
      state.session = await ask('POST', '/v1/session', { key: key.value })
      state.problem = null
      listen()
    } catch (e) {
      state.problem = e.message
    }
    key.value = ''
    changed()
  }
  return html`<main class="login" id="login">
    <div class="brand"><img src="/console/icon.svg" alt="">Beltway</div>
    ${state.problem ? html`<div class="problem" role="alert">${state.problem}</div>` : nothing}
    <form class="card stack" @submit=${enter}>
      <h1>${t('Log in')}</h1>
      <label class="field"><span>${t('API key')}</span>
        <input name="key" type="password" autocomplete="current-password" required></label>
      <button class="main">${t('Log in')}</button>
      <p class="label">${t('Keys are lines of the file that control was started with (--keys). The browser keeps none.')}</p>
    </form>
    <p></p>${choices()}
  </main>`
}

function frame () {
  const name = named()
  const [title, page] = PAGES[name]
  const status = state.status
  const problem = state.problem ?? state.troubles.get(name) ?? state.troubles.get('stream')
  return html`
    <a class="skip" href="#content" @click=${(event) => { event.preventDefault(); document.getElementById('content').focus() }}>${t('Skip to the content')}</a>
    <div class="frame">
      <div class="side">
        <div class="brand"><img src="/console/icon.svg" alt=""><span>Beltway</span></div>
        <nav aria-label=${t('Pages')}>
          ${Object.entries(PAGES).map(([key, [text]]) => html`<a href="#/${key}" aria-current=${key === name ? 'page' : 'false'}>${t(text)}</a>`)}
        </nav>
        <div class="foot">
          <span role="status" id="live">${state.live ? t('live') : html`<span class="bad">${t('no connection: trying again')}</span>`}</span>
          ${choices()}
          ${state.session?.open === false
            ? html`<span>${state.session.name} (${state.session.role})</span><button type="button" id="logout" @click=${leave}>${t('Log out')}</button>`
            : nothing}
        </div>
      </div>
      <main id="content" tabindex="-1">
        <h1 class="hidden">${t(title)}</h1>
        ${problem ? html`<div class="problem" role="alert" id="problem">${problem}</div>` : nothing}
        ${state.told ? html`<div class="told" role="status" id="told">${state.told}</div>` : nothing}
        ${name === 'lab' || status && (status.phase !== 'EMPTY' || name === 'overview')
          ? page.view(status)
          : html`<p class="note">${status ? t('There is no topology yet: beltway apply pool.yaml stores the first one.') : t('waiting for the cluster …')}</p>`}
      </main>
    </div>`
}

function draw () {
  const name = state.session ? named() : null
  if (shown !== name) {
    if (shown) {
      PAGES[shown][1].leave?.()
      state.problem = null
      if (name !== 'migration') state.told = null
    }
    shown = name
    if (name) PAGES[name][1].enter?.()
    turned = true
  }
  document.documentElement.lang = language() === 'zh' ? 'zh-CN' : 'en'
  document.title = name ? `${t(PAGES[name][0])} · Beltway` : 'Beltway'
  render(name ? frame() : login(), app)
  if (turned) {
    turned = false
    // On a narrow screen the pages are in a row that scrolls.
    document.querySelector('nav [aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }
  if (name && (name === 'lab' || state.status?.epoch)) PAGES[name][1].drawn?.(state.status)
}

async function start () {
  const chosen = kept('beltway-theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
  setLanguage(kept('beltway-language') ?? (navigator.language.startsWith('zh') ? 'zh' : 'en'))
  addEventListener('hashchange', changed)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed)
  try {
    state.session = await get('/v1/session')
    listen()
  } catch (e) {
    if (e.status !== 401) state.problem = e.message
  }
  app.replaceChildren()
  onChange(draw)
  draw()
  addEventListener('hashchange', () => document.getElementById('content')?.focus({ preventScroll: true }))
}

start()
