// Package beltway is a reference client: which node owns a key, by a Beltway topology with a ring of xxh3_64. It
// computes what docs/contract.md says and nothing else, without dependencies.
//
//	ring, err := beltway.Parse(topologyAsJSON)
//	ring.Owner([]byte("user:42"))     // "cache-b"
//	ring.Owners([]byte("user:42"), 3) // [cache-b cache-d cache-f]
package beltway

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	p32x1 = 0x9E3779B1
	p32x2 = 0x85EBCA77
	p32x3 = 0xC2B2AE3D
	p64x1 = 0x9E3779B185EBCA87
	p64x2 = 0xC2B2AE3D27D4EB4F
	p64x3 = 0x165667B19E3779F9
	p64x4 = 0x85EBCA77C2B2AE63
	p64x5 = 0x27D4EB2F165667C5
	mx1   = 0x165667919E3779F9
	mx2   = 0x9FB21C651E98DF25
)

// The default secret of XXH3.
var secret, _ = hex.DecodeString("" +
	"b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221" +
	"b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
	"a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb" +
	"170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")

func u32(data []byte, at int) uint64 { return uint64(binary.LittleEndian.Uint32(data[at:])) }
func u64(data []byte, at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

func avalanche(h uint64) uint64 {
	h ^= h >> 37
	h *= mx1
	return h ^ h>>32
}

func avalanche64(h uint64) uint64 {
	h ^= h >> 33
	h *= p64x2
	h ^= h >> 29
	h *= p64x3
	return h ^ h>>32
}

func mix16(data []byte, at, key int) uint64 {
	return fold(u64(data, at)^u64(secret, key), u64(data, at+8)^u64(secret, key+8))
}

// XXH3 is XXH3 of 64 bits, seed 0.
func XXH3(data []byte) uint64 {
	length := len(data)
	switch {
	case length == 0:
		return avalanche64(u64(secret, 56) ^ u64(secret, 64))
	case length <= 3:
		combined := uint64(data[0])<<16 | uint64(data[length>>1])<<24 | uint64(data[length-1]) | uint64(length)<<8
		return avalanche64(combined ^ u32(secret, 0) ^ u32(secret, 4))
	case length <= 8:
		h := (u32(data, length-4) + u32(data, 0)<<32) ^ u64(secret, 8) ^ u64(secret, 16)
		h ^= bits.RotateLeft64(h, 49) ^ bits.RotateLeft64(h, 24)
		h *= mx2
		h ^= h>>35 + uint64(length)
		h *= mx2
		return h ^ h>>28
	case length <= 16:
		low := u64(data, 0) ^ u64(secret, 24) ^ u64(secret, 32)
		high := u64(data, length-8) ^ u64(secret, 40) ^ u64(secret, 48)
		return avalanche(uint64(length) + bits.ReverseBytes64(low) + high + fold(low, high))
	}
	sum := uint64(length) * p64x1
	switch {
	case length <= 128:
		for i := (length - 1) >> 5; i >= 0; i-- {
			sum += mix16(data, 16*i, 32*i) + mix16(data, length-16*(i+1), 32*i+16)
		}
		return avalanche(sum)
	case length <= 240:
		for i := 0; i < 8; i++ {
			sum += mix16(data, 16*i, 16*i)
		}
		sum = avalanche(sum)
		for i := 8; i < length>>4; i++ {
			sum += mix16(data, 16*i, 16*(i-8)+3)
		}
		return avalanche(sum + mix16(data, length-16, 119))
	}
	return long(data)
}

func long(data []byte) uint64 {
	lanes := [8]uint64{p32x3, p64x1, p64x2, p64x3, p64x4, p32x2, p64x5, p32x1}
	accumulate := func(at, key int) {
		for i := range lanes {
			word := u64(data, at+8*i)
			keyed := word ^ u64(secret, key+8*i)
			lanes[i^1] += word
			lanes[i] += (keyed & math.MaxUint32) * (keyed >> 32)
		}
	}
	length := len(data)
	blocks := (length - 1) / 1024
	for block := 0; block < blocks; block++ {
		for i := 0; i < 16; i++ {
			accumulate(1024*block+64*i, 8*i)
		}
		for i := range lanes {
			lanes[i] = (lanes[i] ^ lanes[i]>>47 ^ u64(secret, 128+8*i)) * p32x1
		}
	}
	for i := 0; i < (length-1-1024*blocks)/64; i++ {
		accumulate(1024*blocks+64*i, 8*i)
	}
	accumulate(length-64, 121)
	sum := uint64(length) * p64x1
	for i := 0; i < 4; i++ {
		sum += fold(lanes[2*i]^u64(secret, 11+16*i), lanes[2*i+1]^u64(secret, 19+16*i))
	}
	return avalanche(sum)
}

// Tagged is what of a key is hashed where hash tags are on: between the first { and the first } after it.
func Tagged(key []byte) []byte {
	open := bytes.IndexByte(key, '{')
	if open < 0 {
		return key
	}
	length := bytes.IndexByte(key[open+1:], '}')
	if length < 1 {
		return key
	}
	return key[open+1 : open+1+length]
}

// Point is a token and the node that it belongs to.
type Point struct {
	Token uint64
	ID    string
}

// Ring is points, sorted. Several goroutines may use one.
type Ring struct {
	Points    []Point
	hashTags  bool
	canonical string
}

// New makes a ring of points in any order; equal tokens stay, the smallest id by UTF-8 bytes first.
func New(points []Point, hashTags bool) *Ring {
	sorted := append([]Point(nil), points...)
	sort.Slice(sorted, func(i, j int) bool {
		if sorted[i].Token != sorted[j].Token {
			return sorted[i].Token < sorted[j].Token
		}
		return sorted[i].ID < sorted[j].ID
	})
	return &Ring{Points: sorted, hashTags: hashTags}
}

type rule struct {
	Algorithm string `json:"algorithm"`
	Hash      string `json:"hash"`
	Vnodes    int    `json:"vnodes"`
	MinVnodes int    `json:"minVnodes"`
	Separator string `json:"separator"`
	HashTags  bool   `json:"hashTags"`
}

type node struct {
	ID     string   `json:"id"`
	Weight *float64 `json:"weight"`
	Vnodes *int     `json:"vnodes"`
}

// Parse makes the ring of the JSON form of a topology file whose algorithm is ring and whose hash is xxh3_64.
func Parse(text []byte) (*Ring, error) {
	topology := struct {
		Placement rule   `json:"placement"`
		Nodes     []node `json:"nodes"`
	}{Placement: rule{"ring", "xxh3_64", 150, 10, "#", false}}
	if err := json.Unmarshal(text, &topology); err != nil {
		return nil, err
	}
	if err := check(text, topology.Placement, topology.Nodes); err != nil {
		return nil, err
	}
	r := topology.Placement
	if r.Algorithm != "ring" || r.Hash != "xxh3_64" {
		return nil, fmt.Errorf("algorithm %s with hash %s: this client knows ring with xxh3_64", r.Algorithm, r.Hash)
	}
	var points []Point
	var lines []string
	sort.Slice(topology.Nodes, func(i, j int) bool { return topology.Nodes[i].ID < topology.Nodes[j].ID })
	for _, each := range topology.Nodes {
		count := r.vnodes(each)
		for i := 0; i < count; i++ {
			points = append(points, Point{XXH3([]byte(each.ID + r.Separator + strconv.Itoa(i))), each.ID})
		}
		if count > 0 {
			lines = append(lines, fmt.Sprintf("node %d %s\n", count, each.ID))
		}
	}
	ring := New(points, r.HashTags)
	ring.canonical = fmt.Sprintf("beltway 1\nalgorithm ring\nhash xxh3_64\nseparator %s\nhashTags %t\n%s",
		r.Separator, r.HashTags, strings.Join(lines, ""))
	return ring, nil
}

var known = map[string]bool{"algorithm": true, "hash": true, "vnodes": true, "minVnodes": true, "separator": true,
	"hashTags": true, "replicas": true, "failureDomain": true, "maxTokens": true}

// Refuses what would be read in two ways: a topology that is not understood must not be obeyed.
func check(text []byte, r rule, nodes []node) error {
	wrong := func(what string) error { return fmt.Errorf("%s is not as docs/contract.md says", what) }
	var fields struct {
		Placement map[string]json.RawMessage `json:"placement"`
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	for name := range fields.Placement {
		if !known[name] {
			return wrong("placement: " + name)
		}
	}
	if r.Vnodes < 1 || r.Vnodes > 1000000 || r.MinVnodes < 1 || r.MinVnodes > 1000000 {
		return wrong("vnodes or minVnodes")
	}
	last, _ := utf8.DecodeLastRuneInString(r.Separator)
	if r.Separator == "" || unicode.Is(unicode.Nd, last) {
		return wrong("separator")
	}
	seen := map[string]bool{}
	for _, each := range nodes {
		if each.ID == "" || seen[each.ID] {
			return wrong("id " + each.ID)
		}
		seen[each.ID] = true
		if each.Weight != nil && each.Vnodes != nil {
			return wrong(each.ID + ": weight beside vnodes")
		}
		if each.Vnodes != nil && (*each.Vnodes < 0 || *each.Vnodes > 1000000) {
			return wrong(each.ID + ": vnodes")
		}
		if each.Weight != nil && *each.Weight != 0 && !(*each.Weight >= 1e-6 && *each.Weight <= 1e6) {
			return wrong(each.ID + ": weight")
		}
	}
	return nil
}

// How many tokens a node has.
func (r rule) vnodes(each node) int {
	switch {
	case each.Vnodes != nil:
		return *each.Vnodes
	case each.Weight == nil:
		return max(r.MinVnodes, r.Vnodes)
	case *each.Weight == 0:
		return 0
	}
	return max(r.MinVnodes, int(math.Floor(float64(r.Vnodes)**each.Weight+0.5)))
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// Position is where a key is on the ring.
func (ring *Ring) Position(key []byte) uint64 {
	if ring.hashTags {
		key = Tagged(key)
	}
	return XXH3(key)
}

func (ring *Ring) indexAt(position uint64) int {
	index := sort.Search(len(ring.Points), func(i int) bool { return ring.Points[i].Token >= position })
	if index == len(ring.Points) {
		return 0
	}
	return index
}

// OwnerAt is the node that owns a position; empty if no node has tokens.
func (ring *Ring) OwnerAt(position uint64) string {
	if len(ring.Points) == 0 {
		return ""
	}
	return ring.Points[ring.indexAt(position)].ID
}

// Owner is the node that owns a key; empty if no node has tokens.
func (ring *Ring) Owner(key []byte) string { return ring.OwnerAt(ring.Position(key)) }

// Owners are the first so many different nodes clockwise from a key; fewer where fewer have tokens.
func (ring *Ring) Owners(key []byte, count int) []string {
	return ring.OwnersAt(ring.Position(key), count)
}

// OwnersAt is the same from a position.
func (ring *Ring) OwnersAt(position uint64, count int) []string {
	var found []string
	seen := map[string]bool{}
	first := ring.indexAt(position)
	for i := 0; i < len(ring.Points) && len(found) < count; i++ {
		id := ring.Points[(first+i)%len(ring.Points)].ID
		if !seen[id] {
			seen[id] = true
			found = append(found, id)
		}
	}
	return found
}

// Fingerprint is the same wherever the same topology is obeyed.
func (ring *Ring) Fingerprint() string {
	sum := sha256.Sum256([]byte(ring.canonical))
	return hex.EncodeToString(sum[:16])
}
