import { describeAdapter } from './adapter.js'
import { serveFastify } from './fastify-app.js'

describeAdapter('Fastify', serveFastify)
