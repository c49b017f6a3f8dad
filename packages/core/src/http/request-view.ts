/** What the limiter may see of a request: an adapter's whole translation of its framework's object. */
export interface RequestView {
  readonly method: string
  /** Address of the transport's peer; `undefined` for a unix socket or a closed connection. */
  readonly peer: string | undefined
  /** The template of the matched route, such as `/users/:id`; `undefined` where none is known. Never a raw path. */
  readonly route: string | undefined
  /** A header by its lower-case name, the lines of a repeated one joined by a comma. */
  header(name: string): string | undefined
  /** The object that stands for this request in every middleware of its framework. */
  readonly carrier: object
  /** What we remember of the request hangs on it, in every middleware the same. @default `carrier` */
  readonly holder?: object | undefined
}
