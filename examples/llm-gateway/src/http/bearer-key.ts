/** The API key in an `Authorization` field. */
export function bearerKey(field: string | undefined): string | undefined {
  return /^bearer +([!-~]{1,512}) *$/i.exec(field ?? '')?.[1]
}
