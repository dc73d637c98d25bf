// Figures as people read them, in the language of the page.
import { language } from './text.js'

export const whole = (n) => Math.round(n ?? 0).toLocaleString(language() === 'zh' ? 'zh-CN' : 'en-US')

export const percent = (share, digits = 2) => `${((share ?? 0) * 100).toFixed(digits)} %`

export const rate = (n) => (n >= 100 ? whole(n) : (n ?? 0).toFixed(1))

export function bytes (n) {
  let value = n ?? 0
  for (const unit of ['B', 'kB', 'MB', 'GB', 'TB']) {
    if (value < 1000 || unit === 'TB') return `${unit === 'B' ? Math.round(value) : value.toFixed(1)} ${unit}`
    value /= 1000
  }
}

export function seconds (s) {
  if (!(s >= 0)) return '–'
  if (s < 9.95) return `${s.toFixed(1)} s`
  const full = Math.round(s)
  if (full < 60) return `${full} s`
  if (full < 3600) return `${Math.floor(full / 60)} min ${full % 60} s`
  return `${Math.floor(full / 3600)} h ${Math.floor((full % 3600) / 60)} min`
}

export const time = (at) => (at ? new Date(at).toLocaleString(language() === 'zh' ? 'zh-CN' : 'en-GB') : '')

const MOST_COLOURS = 5000
const places = new Map()
let known = { name: null, all: null }

/** A colour for each node, which it keeps: those that are seen one after another are far apart on the wheel. */
export function colours (ids) {
  const dark = matches('dark')
  const name = `${dark} ${ids.join('\n')}`
  if (name === known.name) return known.all
  if (places.size > MOST_COLOURS) places.clear()
  const all = new Map()
  for (const id of ids.slice().sort()) {
    if (!places.has(id)) places.set(id, places.size)
    const i = places.get(id)
    const light = (dark ? 62 : 46) + (i % 3) * 6 - 6
    all.set(id, `hsl(${Math.round((215 + i * 137.508) % 360)} ${52 - (i % 2) * 8}% ${light}%)`)
  }
  known = { name, all }
  return all
}

export function matches (theme) {
  const chosen = document.documentElement.dataset.theme
  return chosen ? chosen === theme : matchMedia(`(prefers-color-scheme: ${theme})`).matches
}
