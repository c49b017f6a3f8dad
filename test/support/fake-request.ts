import type { RequestView } from '@rl/core/http'

/** A request as core sees it, without a framework: every call makes a new one. */
export function fakeRequest(
  given: Partial<Omit<RequestView, 'header'>> & { readonly headers?: Readonly<Record<string, string>> } = {},
): RequestView {
  const { headers = {}, ...rest } = given
  return {
    method: 'GET',
    peer: '203.0.113.9',
    route: undefined,
    carrier: {},
    header: (name) => headers[name],
    ...rest,
  }
}
