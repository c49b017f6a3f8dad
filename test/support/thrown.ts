/** What a call throws, to look at more of it than `toThrow` does. */
export function thrown(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
