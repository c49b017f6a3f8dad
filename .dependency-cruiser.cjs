// The floors of the design. An import goes down or stays within its own part; neighbours on a floor do not know each
// other. Type imports count. Tests that sit beside their module are free to import what they need.

const core = '^packages/core/src'
const entries = `${core}/(index|http|redis|ioredis)\\.ts$`
const adapter = '^packages/(express|koa|hono|fastify)/src/'
const test = '\\.test\\.ts$'

/** Every part of core, with the parts below it that it may import. */
const parts = {
  model: { path: `${core}/model/`, below: [] },
  algorithms: { path: `${core}/algorithms/`, below: ['model'] },
  memory: { path: `${core}/memory/`, below: ['model', 'algorithms'] },
  redis: { path: `${core}/redis/`, below: ['model', 'algorithms'] },
  resilience: { path: `${core}/resilience/`, below: ['model', 'algorithms'] },
  limiter: {
    path: `${core}/(limiter|limiter-types|decision-events|registry|store-failure|consume-all|noop-limiter|settlement)\\.ts$`,
    below: ['model', 'algorithms', 'memory', 'resilience'],
  },
  'redis entry': { path: `${core}/redis\\.ts$`, below: ['model', 'algorithms', 'redis', 'resilience'] },
  'ioredis entry': { path: `${core}/ioredis\\.ts$`, below: ['model', 'redis'] },
  http: { path: `${core}/http/`, below: ['model', 'algorithms', 'memory', 'resilience', 'limiter'] },
}

const floors = Object.entries(parts).map(([name, { path, below }]) => ({
  name: `floor of ${name}`,
  comment: `${name} may import ${below.join(', ') || 'nothing but itself'}`,
  severity: 'error',
  from: { path, pathNot: test },
  to: { path: '^(packages|examples|test)/', pathNot: [path, ...below.map((part) => parts[part].path)] },
}))

/** The packages that core depends on at run time. */
const packages = ['lru-cache', 'ipaddr\\.js', '@noble/hashes']

module.exports = {
  forbidden: [
    ...floors,
    {
      name: 'no floor',
      comment: 'A new part of core gets its place in the table above',
      severity: 'error',
      from: { path: core, pathNot: [test, entries, ...Object.values(parts).map(({ path }) => path)] },
      to: {},
    },
    {
      name: 'no cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'unresolved import',
      severity: 'error',
      from: { path: '^(packages|examples|test)/', pathNot: '^test/package/consumers/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'packages of core',
      comment: 'Core runs on these few packages; ioredis is for the one entry that makes a client',
      severity: 'error',
      from: { path: core, pathNot: [test, parts['ioredis entry'].path] },
      to: { path: 'node_modules/', pathNot: packages.map((name) => `/node_modules/${name}/`) },
    },
    {
      name: 'core without node',
      comment: 'It runs on Node, Bun, Deno, Workers and in a browser',
      severity: 'error',
      from: { path: core, pathNot: [test, parts['ioredis entry'].path] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'memory users ship no Lua',
      severity: 'error',
      from: { path: `${core}/(index|http)\\.ts$` },
      to: { path: `${core}/(redis/|redis\\.ts|ioredis\\.ts)`, reachable: true },
    },
    {
      name: 'entries are for others',
      comment: 'An entry lists what is public; inside core the module itself is imported',
      severity: 'error',
      from: { path: core, pathNot: test },
      to: { path: entries },
    },
    {
      name: 'source without tests',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: test },
      to: { path: [test, '^test/', '^examples/'] },
    },
    {
      name: 'adapters translate',
      comment: 'An adapter imports the entries of core, its framework, and its own files',
      severity: 'error',
      from: { path: adapter, pathNot: test },
      to: { pathNot: [entries, '^packages/$1/src/', '/node_modules/(@types/|@)?$1([/-]|$)'] },
    },
    ...Object.entries({ tenants: '(zod|@types/node)', prometheus: 'prom-client' }).map(([name, uses]) => ({
      name: `packages of ${name}`,
      comment: 'It stands on the entries of core and what its package.json names',
      severity: 'error',
      from: { path: `^packages/${name}/src/`, pathNot: test },
      to: {
        pathNot: [entries, `^packages/${name}/src/`, `/node_modules/${uses}/`],
        dependencyTypesNot: ['core'],
      },
    })),
    {
      name: 'examples use what is published',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^packages/', pathNot: [entries, '^packages/[^/]+/src/index\\.ts$'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^(packages|examples)/[^/]+/dist/', '^test/package/consumers/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@rl/source', 'import', 'require', 'node', 'default', 'types'],
      mainFields: ['main', 'types'],
    },
  },
}
