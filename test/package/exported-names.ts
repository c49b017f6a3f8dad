import ts from 'typescript6'

/** The names that a declaration file exports, sorted; those that are only types are marked. */
export function exportedNames(declarations: string): string[] {
  const program = ts.createProgram([declarations], { module: ts.ModuleKind.NodeNext, noLib: true, types: [] })
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(declarations)
  const module = file && checker.getSymbolAtLocation(file)
  if (!module) throw new Error(`${declarations} exports nothing`)
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (isValue(checker, symbol) ? symbol.name : `type ${symbol.name}`))
    .sort()
}

function isValue(checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return (target.flags & ts.SymbolFlags.Value) !== 0
}
