import { configError } from '../model/errors.js'

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/

/** The lower-case name of a header field. @throws RateLimitError `RL_CONFIG` */
export function checkHeader(name: string, option: string): string {
  if (typeof name === 'string' && FIELD_NAME.test(name)) return name.toLowerCase()
  throw configError(option, name, 'takes the name of a header field')
}
