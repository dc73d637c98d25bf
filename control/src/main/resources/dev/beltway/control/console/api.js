// Talks to the control plane. A refusal is a Problem with the reason and the remedy.

export class Problem extends Error {
  constructor (status, detail, remedy) {
    super(detail)
    this.status = status
    this.remedy = remedy
  }
}

/** A refusal in words: the reason, and the remedy if there is one. */
export const worded = (e) => (e.remedy ? `${e.message} – ${e.remedy}` : e.message)

let left = () => {}

/** What is called when a session has ended. */
export const onLeave = (listener) => { left = listener }

export async function ask (method, path, body, signal) {
  let answer
  try {
    answer = await fetch(path, {
      method,
      signal,
      credentials: 'same-origin',
      headers: { 'X-Beltway-Console': '1', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body)
    })
  } catch (e) {
    if (e.name === 'AbortError') throw e
    throw new Problem(0, 'control does not answer', 'look whether it runs')
  }
  const text = await answer.text()
  let document = {}
  try {
    document = text === '' ? {} : JSON.parse(text)
  } catch {
    throw new Problem(answer.status, text.slice(0, 200), '')
  }
  // A session that has ended: what is shown is nobody's any more.
  if (answer.status === 401 && !(method === 'POST' && path === '/v1/session')) left()
  if (!answer.ok) throw new Problem(answer.status, document.detail ?? answer.statusText, document.remedy ?? '')
  return document
}

export const get = (path, signal) => ask('GET', path, undefined, signal)
