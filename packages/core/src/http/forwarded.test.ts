import { describe, expect, it } from 'vitest'
import { forwardedNodes, listNodes, parseNode } from './forwarded.js'
import { ipText } from './ip-address.js'

describe('forwardedNodes', () => {
  it.each([
    ['for=203.0.113.9', ['203.0.113.9']],
    ['for=203.0.113.9;proto=https, for="[2001:db8::1]:80"', ['[2001:db8::1]:80', '203.0.113.9']],
    ['proto=https;FOR=1.2.3.4;by=10.0.0.1', ['1.2.3.4']],
    ['For = 1.2.3.4', ['']],
    ['for=1.2.3.4 ; proto=https;', ['1.2.3.4']],
    [';;for=1.2.3.4', ['1.2.3.4']],
    ['for=_hid, for=unknown', ['unknown', '_hid']],
    [' \tfor=1.2.3.4\t ,, ,for=5.6.7.8,', ['5.6.7.8', '1.2.3.4']],
    ['for="1.2.3.4";host="a, for=6.6.6.6"', ['1.2.3.4']],
    ['for="1\\.2.3\\.4"', ['1.2.3.4']],
    ['for="a\\"b,c\\\\", for=1.2.3.4', ['1.2.3.4', 'a"b,c\\']],
    ['', []],
    [',', []],
  ])('gives the nodes of %j from right to left', (header, nodes) => {
    expect([...forwardedNodes(header)]).toEqual(nodes)
  })

  it.each([
    'for=',
    'for="1.2.3.4',
    'for=1.2.3.4"',
    'for="1.2.3.4"x',
    'for=[2001:db8::1]',
    'for=1.2.3.4:80',
    'for=1.2.3.4;for=5.6.7.8',
    'proto=https',
    '1.2.3.4',
    'for=1.2.3.4;x',
    'for=1.2.3.4;=x',
    'for=a b',
    'for="\\',
    'for=é',
    `for=1.2.3.4;host="${'x'.repeat(1100)}"`,
  ])('gives an invalid node for an element that can’t be read, and ends: %j', (element) => {
    expect([...forwardedNodes(`for=6.6.6.6, ${element}, for=10.0.0.1`)]).toEqual(['10.0.0.1', ''])
  })

  it('takes a comma inside of quotes for text', () => {
    expect([...forwardedNodes('for="1.2.3.4, for=5.5.5.5"')]).toEqual(['1.2.3.4, for=5.5.5.5'])
  })

  it('reads what a proxy appended to a quote that a client left open', () => {
    expect([...forwardedNodes('for="6.6.6.6, for=203.0.113.9')]).toEqual(['203.0.113.9', ''])
  })

  it('looks at 64 elements at most, empty ones included', () => {
    expect([...forwardedNodes('for=1.1.1.1,'.repeat(100))]).toHaveLength(63)
    expect([...forwardedNodes(`for=1.1.1.1${','.repeat(64)}`)]).toEqual([])
  })
})

describe('listNodes', () => {
  it.each([
    ['6.6.6.6, 203.0.113.9', ['203.0.113.9', '6.6.6.6']],
    ['\t203.0.113.9 ,  \t10.0.0.9', ['10.0.0.9', '203.0.113.9']],
    [',,203.0.113.9,,', ['203.0.113.9']],
    ['a b,\u00a01.2.3.4', ['\u00a01.2.3.4', 'a b']],
    ['', []],
    [',', []],
    [' ', []],
  ])('gives the entries of %j from right to left, without blanks', (header, nodes) => {
    expect([...listNodes(header)]).toEqual(nodes)
  })

  it('looks at 64 entries at most, empty ones included', () => {
    expect([...listNodes('1.1.1.1,'.repeat(100))]).toHaveLength(63)
    expect([...listNodes(`1.1.1.1${','.repeat(64)}`)]).toEqual([])
  })
})

describe('parseNode', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:51234', '203.0.113.9'],
    ['203.0.113.9:_port', '203.0.113.9'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:DB8:0::1]:443', '2001:db8::1'],
    ['[2001:db8::1]:_p.1', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:db8::1:443', '2001:db8::1:443'],
    ['[::ffff:203.0.113.9]:80', '203.0.113.9'],
    ['[fe80::1%eth0]:80', 'fe80::1'],
  ])('drops brackets and port of %s', (node, address) => {
    expect(ipText(parseNode(node)!)).toBe(address)
  })

  it.each([
    '',
    'unknown',
    '_hidden',
    '"203.0.113.9"',
    '203.0.113.9:',
    '203.0.113.9:123456',
    '203.0.113.9:80:80',
    '203.0.113.9:-1',
    '[203.0.113.9]',
    '[203.0.113.9]:80',
    '[2001:db8::1',
    '2001:db8::1]',
    '[2001:db8::1]80',
    '[2001:db8::1]:',
    '[[2001:db8::1]]',
    `[2001:db8::1]:_${'x'.repeat(60)}`,
  ])('finds no address in %j', (node) => {
    expect(parseNode(node)).toBeUndefined()
  })
})
