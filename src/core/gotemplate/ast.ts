// The syntax tree of a template: what the parser makes and the compiler reads. Every node knows where it stands.

export interface Pipe {
  readonly kind: 'pipe';
  readonly at: number;
  readonly declares: readonly string[];
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

export interface Command {
  readonly at: number;
  /** At least one; the first is what is called. */
  readonly operands: readonly Operand[];
}

export type Operand =
  | { readonly kind: 'dot' | 'nil'; readonly at: number }
  | { readonly kind: 'bool'; readonly at: number; readonly value: boolean }
  | { readonly kind: 'string'; readonly at: number; readonly value: string; readonly quoted: string }
  | NumberConstant
  | { readonly kind: 'function'; readonly at: number; readonly name: string }
  | { readonly kind: 'field'; readonly at: number; readonly path: readonly string[] }
  | { readonly kind: 'variable'; readonly at: number; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'chain'; readonly at: number; readonly of: Operand; readonly path: readonly string[] }
  | Pipe;

export interface NumberConstant {
  readonly kind: 'number';
  readonly at: number;
  readonly text: string;
  /** The value as an int, where it is one. */
  readonly int: bigint | undefined;
  readonly float: number | undefined;
}

export type Statement =
  | { readonly kind: 'text'; readonly at: number; readonly text: string }
  | { readonly kind: 'action'; readonly at: number; readonly pipe: Pipe }
  | Branch
  | { readonly kind: 'break' | 'continue'; readonly at: number }
  | { readonly kind: 'template'; readonly at: number; readonly name: string; readonly pipe: Pipe | undefined };

export interface Branch {
  readonly kind: 'if' | 'with' | 'range';
  readonly at: number;
  readonly pipe: Pipe;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[] | undefined;
}

/** A node in the words of the template, as error messages quote it. */
export function textOf(node: Operand | Command): string {
  if (!('kind' in node)) return node.operands.map(operandText).join(' ');
  return node.kind === 'pipe' ? pipeText(node) : operandText(node);
}

function operandText(node: Operand): string {
  switch (node.kind) {
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'bool':
      return String(node.value);
    case 'string':
      return node.quoted;
    case 'number':
      return node.text;
    case 'function':
      return node.name;
    case 'field':
      return node.path.map((name) => `.${name}`).join('');
    case 'variable':
      return [node.name, ...node.path].join('.');
    case 'chain':
      return `${operandText(node.of)}${node.path.map((name) => `.${name}`).join('')}`;
    case 'pipe':
      return `(${pipeText(node)})`;
  }
}

function pipeText(pipe: Pipe): string {
  const head = pipe.declares.length === 0 ? '' : `${pipe.declares.join(', ')} ${pipe.assigns ? '=' : ':='} `;
  return head + pipe.commands.map((command) => textOf(command)).join(' | ');
}
