/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

// Runs in the browser: sends requests and shows what their answers say.

const SHOWN = 25

const meter = byId<HTMLMeterElement>('left')
const standing = byId<HTMLParagraphElement>('standing')
const answers = byId<HTMLTableSectionElement>('answers')
let sent = 0
let [allowed, refused] = [0, 0]
let waiting: number | undefined

byId('one').addEventListener('click', () => send(1))
byId('many').addEventListener('click', () => send(20))

function send(count: number): void {
  for (let i = 0; i < count; i++) {
    const number = ++sent
    fetch('/api/ping', { cache: 'no-store' }).then(
      (answer) => show(number, answer),
      () => say('The gateway does not answer. Is it still running?'),
    )
  }
}

function show(number: number, { ok, status, headers }: Response): void {
  const field = (name: string) => headers.get(name) ?? ''
  const row = answers.insertRow(0)
  row.className = ok ? 'allowed' : 'refused'
  for (const text of [
    String(number),
    String(status),
    field('RateLimit'),
    field('RateLimit-Policy'),
    field('Retry-After'),
  ])
    row.insertCell().textContent = text
  while (answers.rows.length > SHOWN) answers.deleteRow(-1)

  const [limit, left] = [parameter(field('RateLimit-Policy'), 'q'), parameter(field('RateLimit'), 'r')]
  meter.max = limit
  meter.value = left
  meter.textContent = `${left} of ${limit}`
  if (ok) allowed++
  else refused++
  const wait = Number(field('Retry-After'))
  say(
    `${left} of ${limit} left; so far ${allowed} allowed, ${refused} refused.${ok ? '' : ` Try again in ${wait} s.`}`,
  )
  clearTimeout(waiting)
  if (wait > 0) waiting = window.setTimeout(() => say('The wait is over: you may send again.'), wait * 1000)
}

function say(text: string): void {
  standing.textContent = text
}

/** The number of a parameter in a structured field: 4 for `r` in `"1s";r=4;t=1`. */
function parameter(field: string, name: string): number {
  return Number(new RegExp(`;${name}=(\\d+)`).exec(field)?.[1] ?? 0)
}

function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T
}

export {}
