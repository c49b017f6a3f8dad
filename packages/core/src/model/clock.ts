/** Milliseconds since 1970 UTC, whole. May go backwards, as wall clocks do. */
export type Clock = () => number
