// The plural resource name of a kind, guessed as Kubernetes' own tools do where they cannot ask a server.

/** "CloneSet" → "clonesets", "Policy" → "policies", "Ingress" → "ingresses". */
export function resourceOf(kind: string): string {
  const name = kind.toLowerCase();
  if (/(?:s|x|ch|sh)$/.test(name)) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}
