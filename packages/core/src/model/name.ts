import { configError } from './errors.js'

const NAME = /^[A-Za-z0-9][A-Za-z0-9 _.:-]{0,63}$/

/** Names reach header fields, Redis keys and metric labels, so they are held to characters that are safe in all of them. */
export function checkName(name: unknown, option: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name
  throw configError(option, name, 'is 1 to 64 of A-Z a-z 0-9 space _ . : - and begins with a letter or digit')
}
