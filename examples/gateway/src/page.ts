/** A page on which a newcomer sees limits at work. */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Rate limits at work</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  button { font: inherit; padding: .5rem 1rem; margin: 0 .5rem .5rem 0 }
  meter { display: block; width: 100%; height: 1.5rem }
  table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
  caption { text-align: left; padding: .5rem 0 }
  th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid #8886 }
  td { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
  tr.refused td:nth-child(2)::before { content: "✗ " }
  tr.allowed td:nth-child(2)::before { content: "✓ " }
</style>
<main>
  <h1>Rate limits at work</h1>
  <p>Every request below goes to <code>GET /api/ping</code>. Send some quickly, and see what a client is told.</p>
  <p>
    <button id="one">Send one request</button>
    <button id="many">Send 20 at once</button>
  </p>
  <label for="left">Requests left</label>
  <meter id="left" min="0" max="1" value="1"></meter>
  <p id="standing" role="status">Nothing sent yet.</p>
  <table>
    <caption>The last answers, newest first</caption>
    <thead>
      <tr><th scope="col">No.</th><th scope="col">Status</th><th scope="col">RateLimit</th><th scope="col">RateLimit-Policy</th><th scope="col">Retry-After</th></tr>
    </thead>
    <tbody id="answers"></tbody>
  </table>
</main>
<script type="module" src="/page-script.js"></script>
</html>
`
