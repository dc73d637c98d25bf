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
  if (s < 60) return `${s < 10 ? s.toFixed(1) : Math.round(s)} s`
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`
  return `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`
}

export const time = (at) => (at ? new Date(at).toLocaleString(language() === 'zh' ? 'zh-CN' : 'en-GB') : '')

/** A colour for each node: neighbours in the list are far apart on the wheel. */
export function colours (ids) {
  const dark = matches('dark')
  const name = `${dark} ${ids.join('\n')}`
  if (name === known.name) return known.all
  const all = new Map()
  ids.slice().sort().forEach((id, i) => {
    const light = (dark ? 62 : 46) + (i % 3) * 6 - 6
    all.set(id, `hsl(${Math.round((215 + i * 137.508) % 360)} ${52 - (i % 2) * 8}% ${light}%)`)
  })
  known = { name, all }
  return all
}

let known = { name: null, all: null }

export function matches (theme) {
  const chosen = document.documentElement.dataset.theme
  return chosen ? chosen === theme : matchMedia(`(prefers-color-scheme: ${theme})`).matches
}
