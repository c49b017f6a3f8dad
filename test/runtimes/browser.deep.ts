import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { bundleForWeb } from './bundle.js'

const hasChromium = () => spawnSync('chromium', ['--version']).status === 0

/** Debian's, brought where it is missing; without it the test fails. */
function ensureChromium(): void {
  if (hasChromium()) return
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']])
    spawnSync('apt-get', args, { stdio: 'inherit' })
  if (!hasChromium()) throw new Error('This test takes chromium on the PATH, and apt-get could not bring it')
}

/** What a page is after its script has run. */
async function rendered(script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rl-page-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const page = join(folder, 'page.html')
  await writeFile(
    page,
    `<!doctype html><title>page</title><body>waits<script type="module">${script}</script>`,
  )
  const flags = [
    ...[
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--virtual-time-budget=10000',
    ],
    ...[`--user-data-dir=${join(folder, 'profile')}`, '--dump-dom', `file://${page}`],
  ]
  const { stdout } = await promisify(execFile)('chromium', flags, { maxBuffer: 2 ** 26, timeout: 120_000 })
  return stdout
}

it('core decides in a browser, from one bundle', async () => {
  ensureChromium()
  const { text } = await bundleForWeb('browser.ts')
  const dom = await rendered(text)
  expect(/made (\{.*?\})</.exec(dom)?.[1] ?? dom.slice(-500)).toBe(
    '{"allowed":[true,true,false],"statuses":[200,429]}',
  )
})
