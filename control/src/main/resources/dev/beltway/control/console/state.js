// What the page knows, and the one way in which it is told that something is new.
import { get, onLeave, worded } from './api.js'

export const state = {
  status: null,
  session: null,
  live: false,
  problem: null,
  told: null,
  // What a page could not load in the background, by page, until it can.
  troubles: new Map(),
  // A sample a second at most, ten minutes long: requests a second, and keys that move a second.
  samples: [],
  // Requests a second of each node.
  rates: new Map()
}

const listeners = new Set()
let waits = false

/** Has the page drawn again, once a frame at most. */
export function changed () {
  if (waits) return
  waits = true
  requestAnimationFrame(() => {
    waits = false
    listeners.forEach((listener) => listener())
  })
}

export const onChange = (listener) => listeners.add(listener)

const MOST_SAMPLES = 600
const SAMPLE_MILLIS = 950
// Counts come in steps of about a second: over three of them a rate is steady.
const RATE_MILLIS = 2900
let readings = []

/** Requests since another reading, by node: of those alone that both know, and that have not begun anew. */
function since (reading, status) {
  const rates = new Map()
  const seconds = (performance.now() - reading.at) / 1000
  for (const node of status.nodes ?? []) {
    const before = reading.requests.get(node.id)
    if (before !== undefined && node.requests >= before) rates.set(node.id, (node.requests - before) / seconds)
  }
  return rates
}

function sample (status) {
  const now = performance.now()
  if (readings.length && now - readings[readings.length - 1].at < SAMPLE_MILLIS) return
  const old = readings.findLast((reading) => now - reading.at >= RATE_MILLIS) ?? readings[0]
  if (old) {
    state.rates = since(old, status)
    state.samples.push({
      at: now,
      requests: [...state.rates.values()].reduce((sum, rate) => sum + rate, 0),
      moving: status.migration?.keysPerSecond ?? 0
    })
    if (state.samples.length > MOST_SAMPLES) state.samples.shift()
  }
  const requests = (status.nodes ?? []).filter((node) => node.requests !== undefined).map((node) => [node.id, node.requests])
  readings = [...readings.slice(-5), { at: now, requests: new Map(requests) }]
}

/** Takes in what the cluster says of itself. */
export function learned (status) {
  state.status = status
  state.live = true
  state.troubles.delete('stream')
  sample(status)
  changed()
}

let source = null
let again = 0

/** Notes what could not be loaded for a page, or that it was. */
export function trouble (page, e) {
  if (e === null) state.troubles.delete(page)
  else state.troubles.set(page, worded(e))
  changed()
}

/** Stops listening, and forgets what belongs to whoever was logged in. */
export function ended () {
  source?.close()
  source = null
  state.session = null
  state.status = null
  state.live = false
  state.troubles.clear()
  changed()
}

/** Listens to events; after a loss again and again, ever more slowly, at least every ten seconds. */
export function listen () {
  source?.close()
  source = new EventSource('/v1/events')
  source.addEventListener('status', (event) => {
    again = 0
    learned(JSON.parse(event.data))
  })
  source.addEventListener('problem', (event) => {
    trouble('stream', new Error(event.data))
  })
  source.onerror = () => {
    state.live = false
    readings = []
    changed()
    source?.close()
    again = Math.min(10_000, again === 0 ? 500 : again * 2)
    setTimeout(resume, again)
  }
}

async function resume () {
  try {
    await get('/v1/session')
    listen()
  } catch (e) {
    if (e.status !== 401) { // Which ends the session.
      again = Math.min(10_000, again * 2)
      setTimeout(resume, again)
    }
  }
}

/** Does something that may be refused; what became of it is shown at the top of the page. */
export async function attempt (what, done) {
  try {
    state.problem = null
    state.told = null
    const answer = await what()
    state.told = done ?? null
    changed()
    return answer
  } catch (e) {
    state.problem = worded(e)
    changed()
    return undefined
  }
}

export const mayOperate = () => ['operate', 'admin'].includes(state.session?.role)

onLeave(ended)
