// What the page knows, and the one way in which it is told that something is new.
import { get } from './api.js'

export const state = {
  status: null,
  session: null,
  live: false,
  problem: null,
  told: null,
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
let last = null

function sample (status) {
  const now = performance.now()
  const requests = (status.nodes ?? []).reduce((sum, node) => sum + (node.requests ?? 0), 0)
  if (last && now - last.at < 950) return
  if (last) {
    const seconds = (now - last.at) / 1000
    state.samples.push({
      at: now,
      requests: Math.max(0, requests - last.requests) / seconds,
      moving: status.migration?.keysPerSecond ?? 0
    })
    if (state.samples.length > MOST_SAMPLES) state.samples.shift()
    for (const node of status.nodes ?? []) {
      const before = last.each.get(node.id)
      if (before !== undefined && node.requests !== undefined) {
        state.rates.set(node.id, Math.max(0, node.requests - before) / seconds)
      }
    }
  }
  last = { at: now, requests, each: new Map((status.nodes ?? []).map((node) => [node.id, node.requests])) }
}

/** Takes in what the cluster says of itself. */
export function learned (status) {
  state.status = status
  state.live = true
  sample(status)
  changed()
}

let source = null
let again = 0

/** Listens to events; after a loss again and again, ever more slowly, at least every ten seconds. */
export function listen () {
  source?.close()
  source = new EventSource('/v1/events')
  source.addEventListener('status', (event) => {
    again = 0
    learned(JSON.parse(event.data))
  })
  source.addEventListener('problem', (event) => {
    state.problem = event.data
    changed()
  })
  source.onerror = () => {
    state.live = false
    last = null
    changed()
    source.close()
    again = Math.min(10_000, again === 0 ? 500 : again * 2)
    setTimeout(resume, again)
  }
}

async function resume () {
  try {
    await get('/v1/session')
    listen()
  } catch (e) {
    if (e.status === 401) {
      state.session = null
      changed()
    } else {
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
    state.problem = e.remedy ? `${e.message} – ${e.remedy}` : e.message
    changed()
    return undefined
  }
}

export const mayOperate = () => ['operate', 'admin'].includes(state.session?.role)
