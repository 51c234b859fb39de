/**
 * Holdfast's own lint rules.
 *
 * Each is a rule of its own instead of an entry of `no-restricted-syntax`: a later block of an ESLint configuration
 * replaces the entries of an earlier one, so that a rule about specs would silently switch off a rule about the domain.
 * `.ci/lint/planted/` holds an offender and a clean twin for every rule here, and a spec that lints them.
 */

/**
 * A rule made of selectors: whatever matches one of them is refused with the same sentence.
 *
 * @param {string} message says what to do instead.
 * @param {readonly string[]} selectors esquery selectors over the TypeScript syntax tree.
 * @returns {import('eslint').Rule.RuleModule}
 */
const refuse = (message, selectors) => ({
  meta: { type: 'problem', schema: [], messages: { refused: message } },
  create: (context) => ({
    [`:matches(${selectors.join(', ')})`](/** @type {import('estree').Node} */ node) {
      context.report({ node, messageId: 'refused' });
    },
  }),
});

/** Methods that look for a text inside another one. */
const TEXT_SEARCH = '/^(includes|startsWith|endsWith|match|search|indexOf)$/';
/** Focusing or skipping a test, in the spellings that jest knows. */
const FOCUS = '/^(only|skip|todo|failing)$/';

const selectorRules = {
  'pure-code-reads-no-clock': refuse(
    'Pure code is given the time (`now` comes with the command or the call). It reads no clock and sets no timer.',
    [
      "MemberExpression[object.name='Date'][property.name='now']",
      "NewExpression[callee.name='Date'][arguments.length=0]",
      "CallExpression[callee.name='Date']",
      "MemberExpression[object.name='performance']",
      'CallExpression[callee.name=/^set(Timeout|Interval|Immediate)$/]',
    ],
  ),
  'pure-code-reads-no-environment': refuse(
    'Pure code is given what it needs. It reads no environment, process or place of its own file.',
    ["MemberExpression[object.name='process']", 'MetaProperty'],
  ),
  'pure-code-draws-no-random': refuse(
    'Pure code is given its ids. It draws no random number and makes no id.',
    [
      "MemberExpression[object.name='Math'][property.name='random']",
      "MemberExpression[object.name='crypto']",
      'CallExpression[callee.name=/^(random(UUID|Bytes|Int)|uuid|uuidv[47]|v[47])$/]',
    ],
  ),
  'pure-code-does-not-wait': refuse(
    'Pure code answers at once. What waits is a shell: a handler, a saga, a writer.',
    [':function[async=true]', 'AwaitExpression', "NewExpression[callee.name='Promise']"],
  ),
  'no-clock-as-default-argument': refuse(
    'A default that reads the clock hides a dependency from the caller and from tests. Ask for the time.',
    [
      "AssignmentPattern > CallExpression.right[callee.object.name='Date']",
      "AssignmentPattern > NewExpression.right[callee.name='Date'][arguments.length=0]",
      "AssignmentPattern > CallExpression.right[callee.object.name='performance']",
    ],
  ),
  'no-anonymous-delay': refuse(
    'A delay needs a name that carries its unit, source and bound. Name the constant, or take it from the windows.',
    [
      'CallExpression[callee.name=/^set(Timeout|Interval)$/] > Literal:nth-child(2)',
      "CallExpression[callee.object.name='AbortSignal'][callee.property.name='timeout'] > Literal",
    ],
  ),
  'no-default-export': refuse(
    'Export by name, so that a thing is called the same everywhere and a search finds every use of it.',
    [
      'ExportDefaultDeclaration',
      "ExportSpecifier[exported.name='default']",
      "ExportSpecifier[exported.value='default']",
    ],
  ),
  'no-error-text-matching': refuse(
    'The text of an error is for people and changes. Match its class or its `code`.',
    [
      `CallExpression[callee.property.name=${TEXT_SEARCH}][callee.object.property.name='message']`,
      "CallExpression[callee.property.name=/^(test|exec)$/] > MemberExpression.arguments[property.name='message']",
      "CallExpression[callee.property.name=/^(test|exec)$/] > CallExpression.arguments[callee.name='String']",
      "BinaryExpression[operator=/^[!=]==?$/][right.type='Literal'] > MemberExpression.left[property.name='message']",
      "SwitchStatement > MemberExpression.discriminant[property.name='message']",
    ],
  ),
  'no-silent-catch': refuse(
    'An error that nobody sees hides the outcome. Handle the one kind that you expect, and throw the rest on.',
    [
      'CatchClause[body.body.length=0]',
      "CallExpression[callee.property.name='catch'] > ArrowFunctionExpression[body.type='BlockStatement'][body.body.length=0]",
      "CallExpression[callee.property.name='catch'] > ArrowFunctionExpression[body.type='Identifier'][body.name='undefined']",
      "CallExpression[callee.property.name='catch'] > ArrowFunctionExpression[body.type='Literal'][body.raw='null']",
    ],
  ),
  'no-sleep-in-specs': refuse(
    'A sleep is too long on a fast machine and too short on a slow one. Wait for a condition (`waitUntil`) or open a gate.',
    [
      "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout'][arguments.0.type='Identifier']",
      "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout'] > ArrowFunctionExpression.arguments[body.callee.name=/^res/]",
      "ImportDeclaration[source.value='node:timers/promises']",
      'AwaitExpression > CallExpression[callee.name=/^(sleep|delay|pause|setTimeout)$/]',
    ],
  ),
  'no-focused-or-skipped-test': refuse(
    'A skipped test proves nothing, and a focused one switches the others off. Fix it, or delete it.',
    [
      `MemberExpression[object.name=/^(it|test|describe)$/][property.name=${FOCUS}]`,
      `MemberExpression[object.object.name=/^(it|test|describe)$/][property.name=${FOCUS}]`,
      'CallExpression[callee.name=/^([fx](it|test|describe))$/]',
    ],
  ),
  'decisions-are-compared-whole': refuse(
    'A subset match lets a field that was left out, added or reordered pass. Compare the whole value.',
    [
      "CallExpression[callee.property.name='toMatchObject']",
      "CallExpression[callee.object.name='expect'][callee.property.name=/^(objectContaining|arrayContaining|anything)$/]",
    ],
  ),
  'few-dependencies': refuse(
    'More than five dependencies are two classes in one. Split it by what it decides.',
    ["MethodDefinition[kind='constructor'] > FunctionExpression[params.length>5]"],
  ),
  'queries-do-not-append': refuse(
    'A query reads. What changes a stream is a command, decided by its slice.',
    ['CallExpression[callee.property.name=/^(append|appendTo|publishFrame)$/]'],
  ),
};

/** Classes that Nest builds: their constructors are filled by a container that sees no types at run time. */
const BUILT_BY_NEST =
  /^(Injectable|Controller|Catch|CommandHandler|QueryHandler|WebSocketGateway|Module)$/;

/** @param {any} decorator */
const decoratorName = (decorator) =>
  decorator.expression.callee?.name ?? decorator.expression.name ?? '';

/** @type {import('eslint').Rule.RuleModule} */
const injectedByToken = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      refused:
        'Name the token with @Inject(TOKEN). Injection by type depends on metadata that some transpilers drop, and then yields undefined.',
    },
  },
  create: (context) => ({
    /** @param {any} node */
    'ClassDeclaration > ClassBody > MethodDefinition[kind="constructor"]'(node) {
      const decorators = node.parent.parent.decorators ?? [];
      if (!decorators.some((/** @type {any} */ each) => BUILT_BY_NEST.test(decoratorName(each))))
        return;
      for (const parameter of node.value.params) {
        const names = (parameter.decorators ?? []).map(decoratorName);
        if (!names.some((/** @type {string} */ name) => /^Inject/.test(name)))
          context.report({ node: parameter, messageId: 'refused' });
      }
    },
  }),
};

/** @type {import('eslint').Rule.RuleModule} */
const noGrabBagFile = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { refused: 'A file is named after what it holds. "{{name}}" holds anything.' },
  },
  create: (context) => ({
    Program(node) {
      const name = context.filename.split(/[\\/]/).at(-1) ?? '';
      if (/^((utils?|helpers?|misc|shared|common)\.|base\.)/.test(name))
        context.report({ node, messageId: 'refused', data: { name } });
    },
  }),
};

/** @type {import('eslint').Rule.RuleModule} */
const disableSaysWhy = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { refused: 'Say why after two dashes: `eslint-disable-next-line rule -- reason`.' },
  },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments())
        if (/^\s*eslint-disable/.test(comment.value) && !/\s--\s+\S{2,}/.test(comment.value))
          context.report({ loc: /** @type {any} */ (comment).loc, messageId: 'refused' });
    },
  }),
};

/** @type {Record<string, import('eslint').Rule.RuleModule>} */
export const rules = {
  ...selectorRules,
  'injected-by-token': injectedByToken,
  'no-grab-bag-file': noGrabBagFile,
  'disable-says-why': disableSaysWhy,
};

/** The plugin: its rules are called `holdfast/<name>`. */
export const holdfast = { meta: { name: 'holdfast' }, rules };
