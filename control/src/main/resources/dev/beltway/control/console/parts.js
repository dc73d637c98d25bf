// Small pieces that several pages show.
import { html, svg, nothing } from './lib/lit-html.js'
import { t } from './text.js'

/** A line over time. */
export function spark (values, label) {
  if (values.length < 2) return html`<p class="label">${t('gathering figures …')}</p>`
  const most = Math.max(1e-9, ...values)
  const at = (value, i) => `${((i / (values.length - 1)) * 300).toFixed(1)},${(43 - (value / most) * 40).toFixed(1)}`
  const line = 'M' + values.map(at).join('L')
  return html`<svg class="spark" viewBox="0 0 300 46" preserveAspectRatio="none" role="img" aria-label=${label}>
    <path class="area" d="${line}L300,46L0,46Z"></path><path d=${line}></path></svg>`
}

/** A bar of shares from 0 to 1. */
export const bar = (share, colour, label) => html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=${label}>
  <rect class="ground" width="100" height="10" rx="2"></rect>
  <rect width=${Math.max(0, Math.min(100, share * 100))} height="10" rx="2" fill=${colour}></rect></svg>`

export const dot = (colour) => html`<svg class="dot" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="6" fill=${colour}></circle></svg>`

/** By phase: whether all is well, and its name. */
export const PHASES = {
  EMPTY: ['warn', 'No topology yet'],
  STEADY: ['good', 'Steady'],
  PREPARING: ['warn', 'Preparing'],
  FENCING: ['warn', 'Fencing'],
  MOVING: ['warn', 'Moving'],
  REVERSING: ['warn', 'Taking back']
}

export function phase (status) {
  const [kind, text] = PHASES[status.phase] ?? ['warn', status.phase]
  return html`<span class="badge ${kind}" id="phase" data-phase=${status.phase}>${t(text)}${status.pause ? ' · ' + t('paused') : ''}</span>`
}

export const waits = (status) => status.waitsFor?.length
  ? html`<div class="card"><h2>${t('Waited for')}</h2><ul class="plain">${status.waitsFor.map((each) => html`<li>${each}</li>`)}</ul></div>`
  : nothing

/** A chart of lines over a common horizontal axis; each line is points [x, y]. */
export function chart ({ lines, xs, label, y = (v) => v, x = (v) => v, log = false }) {
  const all = lines.flatMap((line) => line.points)
  if (all.length === 0) return nothing
  const px = all.map((point) => (log ? Math.log(point[0]) : point[0]))
  const [left, right] = [Math.min(...px), Math.max(...px)]
  const top = Math.max(...all.map((point) => point[1])) * 1.08 || 1
  const at = ([a, b]) => [46 + (((log ? Math.log(a) : a) - left) / (right - left || 1)) * 540, 190 - (b / top) * 170]
  return html`<svg class="chart" viewBox="0 0 600 220" role="img" aria-label=${label}>
    ${[0, 0.5, 1].map((part) => svg`<line class="axis" x1="46" x2="590" y1=${190 - part * 170 / 1.08} y2=${190 - part * 170 / 1.08}></line>
      <text x="42" y=${194 - part * 170 / 1.08} text-anchor="end">${y(top * part / 1.08)}</text>`)}
    ${(xs ?? []).map((value) => svg`<text x=${at([value, 0])[0]} y="208" text-anchor="middle">${x(value)}</text>`)}
    ${lines.map((line) => svg`<polyline class=${line.kind} points=${line.points.map((point) => at(point).map((v) => v.toFixed(1)).join(',')).join(' ')}></polyline>`)}
  </svg>`
}
