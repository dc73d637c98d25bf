// Draws a ring on a canvas: who owns which part of it, and which parts move. What stands still is drawn once and
// kept; a frame copies it and adds what moves.
import { matches } from './format.js'

const TURN = 2 * Math.PI
const UNITS = 4294967296
// Above so many ranges a screen can't show them one by one, and each dot of the circle gets the mix of its owners.
const EXACT = 4000
const NONE = []

/** Ranges as the control plane sends them; ends are the upper 32 bits. */
export class Ranges {
  constructor (owners, ends, whose) {
    this.owners = owners
    this.ends = ends
    this.whose = whose
  }

  static of (document) {
    const words = (text) => new Uint32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer)
    return new Ranges(document.owners ?? [], words(document.ends ?? ''), words(document.whose ?? ''))
  }

  get size () { return this.ends.length }

  /** The index of the range that a position from 0 to 2^32 - 1 is in. */
  at (position) {
    let low = 0
    let high = this.ends.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.ends[middle] < position) low = middle + 1
      else high = middle
    }
    return low === this.ends.length ? 0 : low
  }

  ownerAt (position) { return this.owners[this.whose[this.at(position)]] }

  /** Calls with start, end and owner of each range; the one across the top comes as two. */
  each (visit) {
    const n = this.ends.length
    if (n === 0) return
    let start = 0
    for (let i = 0; i < n; i++) {
      visit(start, this.ends[i], this.whose[i])
      start = this.ends[i]
    }
    visit(start, UNITS, this.whose[0])
  }

  /** The parts whose owner is another one in other ranges: start, end, from, to. */
  moves (other) {
    const moves = []
    const n = this.ends.length
    const m = other.ends.length
    if (n === 0 || m === 0) return moves
    let start = 0
    for (let i = 0, j = 0; start < UNITS;) {
      const one = i < n ? this.ends[i] : UNITS
      const two = j < m ? other.ends[j] : UNITS
      const end = Math.min(one, two)
      const from = this.owners[this.whose[i < n ? i : 0]]
      const to = other.owners[other.whose[j < m ? j : 0]]
      if (from !== to && end > start) moves.push({ start, end, from, to })
      if (one === end) i++
      if (two === end) j++
      start = end
      if (i > n && j > m) break
    }
    return moves
  }
}

const angle = (position) => (position / UNITS) * TURN - Math.PI / 2

/** A circle cut into dots, each with the mix of the colours of what lies in it. */
class Bins {
  constructor (count) {
    this.count = count
    this.sums = new Float64Array(count * 4)
  }

  add (start, end, [r, g, b]) {
    let from = (start / UNITS) * this.count
    const to = (end / UNITS) * this.count
    while (from < to) {
      const bin = Math.min(this.count - 1, Math.floor(from))
      const part = Math.min(to, bin + 1) - from
      this.sums[4 * bin] += part * r
      this.sums[4 * bin + 1] += part * g
      this.sums[4 * bin + 2] += part * b
      this.sums[4 * bin + 3] += part
      from = bin + 1
    }
  }

  /** Paints those that have something, the fainter the less it is, but not below least. */
  paint (pen, inner, outer, least) {
    for (let bin = 0; bin < this.count; bin++) {
      const share = this.sums[4 * bin + 3]
      if (share < 1e-9) continue
      const each = new Path2D()
      sector(each, inner, outer, (bin / this.count) * TURN - Math.PI / 2, ((bin + 1.2) / this.count) * TURN - Math.PI / 2)
      const [r, g, b] = [0, 1, 2].map((i) => Math.round(this.sums[4 * bin + i] / share))
      pen.fillStyle = `rgb(${r},${g},${b})`
      pen.globalAlpha = Math.max(least, Math.min(1, share))
      pen.fill(each)
    }
    pen.globalAlpha = 1
  }
}

/** A picture of a ring on one canvas. */
export class RingView {
  constructor (canvas) {
    this.canvas = canvas
    this.kept = document.createElement('canvas')
    this.ranges = null
    this.moves = NONE
    this.colours = new Map()
    this.marked = null
    this.progress = () => 0
    this.stale = true
    this.frames = 0
    this.keys = NONE
    this.observer = new ResizeObserver(() => { this.stale = true; this.draw() })
    this.observer.observe(canvas)
  }

  /** What is shown from now on. */
  show ({ ranges, moves = NONE, colours, marked = null, progress = () => 0, keys = NONE }) {
    const same = this.ranges === ranges && this.moves === moves && this.marked === marked && this.keys === keys && this.theme === matches('dark')
    this.ranges = ranges
    this.moves = moves
    this.colours = colours
    this.marked = marked
    this.progress = progress
    this.keys = keys
    if (!same) {
      this.stale = true
      this.draw()
    }
    this.animate()
  }

  close () {
    this.closed = true
    this.observer.disconnect()
  }

  /** Goes on drawing while something moves. */
  animate () {
    if (this.running || this.closed || this.moves.length === 0) return
    this.running = true
    const step = (now) => {
      if (this.closed || this.moves.length === 0) {
        this.running = false
        if (!this.closed) this.draw()
        return
      }
      this.draw(now)
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  }

  sized () {
    const size = Math.round(this.canvas.clientWidth * Math.min(2, devicePixelRatio || 1))
    if (size > 0 && (this.canvas.width !== size || this.canvas.height !== size)) {
      this.canvas.width = this.canvas.height = size
      this.stale = true
    }
    return size
  }

  draw (now = 0) {
    const size = this.sized()
    if (!size || !this.ranges) return
    if (this.stale) this.keep(size)
    const pen = this.canvas.getContext('2d')
    pen.clearRect(0, 0, size, size)
    pen.drawImage(this.kept, 0, 0)
    this.frames++
    this.drawMoves(pen, size, now)
  }

  radii (size) {
    return { outer: size * 0.43, inner: size * 0.31, band: size * 0.455, edge: size * 0.485 }
  }

  /** Draws what stands still. */
  keep (size) {
    this.stale = false
    this.theme = matches('dark')
    this.kept.width = this.kept.height = size
    const pen = this.kept.getContext('2d')
    const { outer, inner } = this.radii(size)
    pen.translate(size / 2, size / 2)
    this.drawKeys(pen, size)
    if (this.ranges.size === 0) return
    const owners = this.ranges.owners
    if (this.ranges.size <= EXACT) {
      const paths = owners.map(() => new Path2D())
      this.ranges.each((start, end, owner) => sector(paths[owner], inner, outer, angle(start), angle(end)))
      owners.forEach((id, i) => this.fill(pen, paths[i], id, this.colours.get(id)))
    } else {
      this.mixed(pen, inner, outer)
    }
  }

  fill (pen, path, id, colour) {
    pen.globalAlpha = this.marked === null || this.marked === id ? 1 : 0.16
    pen.fillStyle = colour ?? '#888'
    pen.fill(path)
    pen.globalAlpha = 1
  }

  mixed (pen, inner, outer) {
    const marked = this.marked
    const bins = new Bins(Math.ceil(TURN * outer))
    const colour = this.ranges.owners.map((id) => parse(this.colours.get(id)))
    this.ranges.each((start, end, owner) => {
      if (marked === null || this.ranges.owners[owner] === marked) bins.add(start, end, colour[owner])
    })
    if (marked !== null) {
      const all = new Path2D()
      sector(all, inner, outer, 0, TURN)
      pen.fillStyle = '#888'
      pen.globalAlpha = 0.16
      pen.fill(all)
      pen.globalAlpha = 1
    }
    bins.paint(pen, inner, outer, marked === null ? 1 : 0.25)
  }

  drawKeys (pen, size) {
    const { inner } = this.radii(size)
    this.keys.forEach(({ position, colour, hollow }, i) => {
      const at = angle(position)
      // Strewn over the inside, so that neighbours on the ring don't cover each other.
      const far = inner * (0.45 + 0.5 * ((i * 0.618034) % 1))
      pen.beginPath()
      pen.arc(Math.cos(at) * far, Math.sin(at) * far, Math.max(2, size / 240), 0, TURN)
      pen.fillStyle = pen.strokeStyle = colour
      pen.globalAlpha = hollow ? 0.45 : 1
      if (hollow) pen.stroke()
      else pen.fill()
    })
    pen.globalAlpha = 1
  }

  /** Draws what moves: outside the ring, in the colour of where it goes; what has arrived is full. */
  drawMoves (pen, size, now) {
    if (this.moves.length === 0) return
    if (this.layer?.moves !== this.moves || this.layer.marked !== this.marked || this.layer.ahead.width !== size) {
      this.layer = { moves: this.moves, marked: this.marked, ahead: this.moving(size, () => [0, 1]), there: null, at: -Infinity }
    }
    // Twice a second is enough for what has arrived; between, its picture is copied.
    if (now - this.layer.at > 500 || now === 0) {
      this.layer.at = now
      this.layer.there = this.moving(size, (move) => [0, this.progress(move)])
    }
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    pen.globalAlpha = still ? 0.45 : 0.4 + 0.15 * Math.sin(now / 240)
    pen.drawImage(this.layer.ahead, 0, 0)
    pen.globalAlpha = 1
    pen.drawImage(this.layer.there, 0, 0)
  }

  /** A picture of a part of each move. */
  moving (size, part) {
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = size
    const pen = canvas.getContext('2d')
    pen.translate(size / 2, size / 2)
    const { band, edge } = this.radii(size)
    const seen = this.moves.filter((move) => this.marked === null || this.marked === move.from || this.marked === move.to)
    const bins = new Bins(Math.ceil(TURN * edge))
    const paths = new Map()
    for (const move of seen) {
      const [first, last] = part(move).map((share) => move.start + (move.end - move.start) * share)
      if (last <= first) continue
      if (seen.length > EXACT) bins.add(first, last, parse(this.colours.get(move.to)))
      // A part that is thinner than a dot is drawn as one.
      else sector(path(paths, move.to), band, edge, angle(first), Math.max(angle(last), angle(first) + 1.5 / edge))
    }
    for (const [id, each] of paths) {
      pen.fillStyle = this.colours.get(id) ?? '#888'
      pen.fill(each)
    }
    bins.paint(pen, band, edge, 0.25)
    return canvas
  }

  /** The position under a point of the canvas, in its own coordinates; null if it is not on the ring. */
  positionAt (x, y) {
    const size = this.canvas.clientWidth
    const [dx, dy] = [x - size / 2, y - size / 2]
    const distance = Math.hypot(dx, dy)
    const { inner, edge } = this.radii(size)
    if (distance < inner || distance > edge) return null
    return Math.floor((((Math.atan2(dy, dx) + Math.PI / 2 + TURN) % TURN) / TURN) * UNITS)
  }
}

function path (all, id) {
  let each = all.get(id)
  if (!each) all.set(id, (each = new Path2D()))
  return each
}

function sector (path, inner, outer, from, to) {
  path.moveTo(Math.cos(from) * inner, Math.sin(from) * inner)
  path.arc(0, 0, outer, from, to)
  path.arc(0, 0, inner, to, from, true)
  path.closePath()
}

function parse (hsl) {
  const [h, s, l] = (hsl ?? 'hsl(0 0% 50%)').match(/[\d.]+/g).map(Number)
  const a = (s / 100) * Math.min(l / 100, 1 - l / 100)
  const channel = (n) => {
    const k = (n + h / 30) % 12
    return 255 * (l / 100 - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return [channel(0), channel(8), channel(4)]
}
