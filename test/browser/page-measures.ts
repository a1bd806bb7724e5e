/**
 * Measures of a page: a module that the browser loads, compiled with the console. They give a line
 * for each fault.
 */

/** Elements and SVG parts that stand beside each other and must not cover each other. */
export function overlaps(): string[] {
  const groups = [
    'main > section',
    'header > *:not(input)',
    'header .actions > *',
    'footer > *',
    '#tabs > *',
    '.head > *',
    '.row > *:not(.twist)',
    '.turn-link > *',
    '#memory td',
    '.state-node rect:first-of-type, .edge text',
  ];
  const faults: string[] = [];
  const nameOf = (node: Element): string =>
    `${node.parentElement?.id || node.parentElement?.getAttribute('class') || ''} > ` +
    `${node.tagName.toLowerCase()} "${(node.textContent ?? '').trim().slice(0, 30)}"`;
  for (const selector of groups) {
    const byParent = new Map<Element, { node: Element; box: DOMRect }[]>();
    for (const node of document.querySelectorAll(selector)) {
      const box = node.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) continue;
      const parent = node.closest('svg.chart') ?? node.parentElement!;
      byParent.set(parent, [...(byParent.get(parent) ?? []), { node, box }]);
    }
    for (const list of byParent.values()) {
      for (const [index, left] of list.entries()) {
        for (const right of list.slice(index + 1)) {
          const across =
            Math.min(left.box.right, right.box.right) - Math.max(left.box.left, right.box.left);
          const down =
            Math.min(left.box.bottom, right.box.bottom) - Math.max(left.box.top, right.box.top);
          // A pixel is rounding, of text boxes also the room above and below the letters.
          const room = left.node instanceof SVGElement ? 3 : 1;
          if (across > room && down > room) {
            faults.push(`${nameOf(left.node)} and ${nameOf(right.node)}`);
          }
        }
      }
    }
  }
  return faults;
}

/** Whatever reaches beyond the page, or beyond a part that cannot scroll there. */
export function overflows(): string[] {
  const faults: string[] = [];
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
  if (scrollWidth > clientWidth) faults.push(`the page is ${scrollWidth} of ${clientWidth} wide`);
  if (scrollHeight > clientHeight) faults.push(`it is ${scrollHeight} of ${clientHeight} high`);
  for (const node of document.querySelectorAll('button, select, h2, .head, header, footer')) {
    const box = node.getBoundingClientRect();
    if (box.width === 0) continue;
    const name = `${node.tagName.toLowerCase()} "${(node.textContent ?? '').trim().slice(0, 30)}"`;
    if (box.right > clientWidth + 0.5 || box.left < -0.5) faults.push(`${name} is cut`);
    if (node.matches('button, select') && node.scrollWidth > node.clientWidth + 1) {
      faults.push(`${name} is too narrow for its text`);
    }
  }
  return faults;
}

/** Text with less contrast than 4.5 to 1 against what it stands on (WCAG, level AA). */
export function contrastFaults(): string[] {
  type Colour = readonly [number, number, number, number];
  const parse = (text: string): Colour => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue, alpha];
  };
  const light = ([red, green, blue]: Colour): number => {
    const [r, g, b] = [red, green, blue].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node: Element | null): Colour => {
    if (node === null) return [255, 255, 255, 1];
    const colour = parse(getComputedStyle(node).backgroundColor);
    return colour[3] > 0.5 ? colour : ground(node.parentElement);
  };
  const faults = new Set<string>();
  for (const node of document.querySelectorAll<HTMLElement | SVGElement>('body *')) {
    const isText = [...node.childNodes].some(
      (child) => child instanceof Text && child.data.trim() !== '',
    );
    const box = node.getBoundingClientRect();
    if (!isText || box.width === 0 || node.closest('dialog, script, title, option')) continue;
    const style = getComputedStyle(node);
    const isSvg = node instanceof SVGElement;
    const rect = node.closest('.state-node')?.querySelector('rect');
    const on = rect ? parse(getComputedStyle(rect).fill) : ground(node);
    const [bright, dark] = [light(parse(isSvg ? style.fill : style.color)), light(on)].sort(
      (left, right) => right - left,
    ) as [number, number];
    const contrast = (bright + 0.05) / (dark + 0.05);
    if (contrast < 4.5) {
      const name = `${node.tagName.toLowerCase()}.${node.getAttribute('class') ?? node.id}`;
      faults.add(`${name} has ${contrast.toFixed(2)}`);
    }
  }
  return [...faults];
}
