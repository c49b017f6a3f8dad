/** What a model server has done, for tests to compare with what gateways counted. */
export class Stats {
  requests = 0
  inFlight = 0
  /** The highest that `inFlight` was. */
  mostInFlight = 0
  /** Tokens of the answers whose usage it has reported. */
  reportedTokens = 0

  begin(): void {
    this.requests++
    this.inFlight++
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight)
  }

  end(): void {
    this.inFlight--
  }
}
