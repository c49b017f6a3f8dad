import { describe, onTestFinished } from 'vitest'
import { describeAddresses } from './adapter-addresses.js'
import { describeAnswers } from './adapter-answers.js'
import { describeCountWhen } from './adapter-count-when.js'
import { describeEndings } from './adapter-endings.js'
import { describeErrors } from './adapter-errors.js'
import { describeFunctions } from './adapter-functions.js'
import { describeKeys } from './adapter-keys.js'
import { describeLists } from './adapter-lists.js'
import { describeLoaded } from './adapter-loaded.js'
import { describeOptions } from './adapter-options.js'
import { describeRequests } from './adapter-requests.js'
import { describeStacking } from './adapter-stacking.js'
import type { Serve } from './served.js'

/**
 * What an adapter is: the same requests get the same answers from every framework, over sockets. Row numbers are those
 * of the table of hostile inputs, 5.2 in the HTTP reference; B numbers those of the bug reports.
 */
export function describeAdapter(name: string, serve: Serve): void {
  const serveForOneTest: Serve = async (app) => {
    const served = await serve(app)
    onTestFinished(() => served.close())
    return served
  }
  describe(name, () => {
    describeAnswers(serveForOneTest)
    describeStacking(serveForOneTest)
    describeFunctions(serveForOneTest)
    describeErrors(serveForOneTest)
    describeEndings(serveForOneTest)
    describeCountWhen(serveForOneTest)
    describeRequests(serveForOneTest)
    describeAddresses(serveForOneTest)
    describeKeys(serveForOneTest)
    describeLists(serveForOneTest)
    describeLoaded(serveForOneTest)
    describeOptions(serveForOneTest)
  })
}
