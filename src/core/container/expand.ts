// `$(VAR)` references in commands, arguments and environment values, as the kubelet expands them. Owns no other syntax.

/** `$(NAME)` becomes its value, `$$` one dollar; what names nothing known stays as it is written. */
export function expandReferences(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replace(/\$(\$|\(([^)]*)\))/g, (written, first: string, name: string | undefined) => {
    if (first === '$') return '$';
    return valueOf(name ?? '') ?? written;
  });
}
