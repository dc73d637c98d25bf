package beltway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// Vectors are where VECTORS says, else in the project's own tests.
func read(t *testing.T, name string, into interface{}) {
	t.Helper()
	folder := os.Getenv("VECTORS")
	if folder == "" {
		folder = "../../core/src/test/resources/vectors"
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

type vectors struct {
	looked int
	*testing.T
}

func (t *vectors) same(what string, expected, got interface{}) {
	t.Helper()
	t.looked++
	if !reflect.DeepEqual(expected, got) {
		t.Errorf("%s: %v expected, %v computed", what, expected, got)
	}
}

func hash(text string) string { return fmt.Sprintf("%016x", XXH3([]byte(text))) }

func parse(t *vectors, nodes interface{}) *Ring {
	type entry struct {
		ID     string `json:"id"`
		Vnodes int    `json:"vnodes"`
	}
	var entries []entry
	if list, ok := nodes.([]interface{}); ok {
		for _, each := range list {
			pair := each.([]interface{})
			entries = append(entries, entry{pair[0].(string), int(pair[1].(float64))})
		}
	} else {
		for i := 0; i < 100; i++ {
			entries = append(entries, entry{fmt.Sprintf("n%03d", i), 100})
		}
	}
	text, _ := json.Marshal(map[string]interface{}{"nodes": entries})
	ring, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func texts(list interface{}) []string {
	var all []string
	for _, each := range list.([]interface{}) {
		all = append(all, each.(string))
	}
	return all
}

func TestVectors(tt *testing.T) {
	t := &vectors{T: tt}
	var hashes struct {
		Header struct{ Columns []string }
		Rows   [][]interface{}
	}
	read(tt, "a_hash_vectors.json", &hashes)
	for i, name := range hashes.Header.Columns {
		for _, row := range hashes.Rows {
			if name == "xxh3_64" {
				t.same("xxh3 of "+row[0].(string), row[i], hash(row[0].(string)))
			}
		}
	}

	var native struct {
		Header struct {
			Columns []string
			Configs map[string]struct {
				Nodes  interface{}
				Tokens int
				Sha    string `json:"ring_sha256"`
			}
		}
		Rows [][]interface{}
	}
	read(tt, "h_native_ring.json", &native)
	rings := map[string]*Ring{}
	for name, config := range native.Header.Configs {
		ring := parse(t, config.Nodes)
		rings[name] = ring
		t.same("tokens of "+name, config.Tokens, len(ring.Points))
		sum := sha256.New()
		for _, point := range ring.Points {
			fmt.Fprintf(sum, "%016x %s\n", point.Token, point.ID)
		}
		t.same("ring of "+name, config.Sha, hex.EncodeToString(sum.Sum(nil)))
	}
	for _, row := range native.Rows {
		key := row[0].(string)
		t.same("hash of "+key, row[1], hash(key))
		for i, column := range native.Header.Columns[2:] {
			ring := rings[column[len("replicas:"):]]
			t.same("owners of "+key, texts(row[2+i]), ring.Owners([]byte(key), 3))
			t.same("owner of "+key, texts(row[2+i])[0], ring.Owner([]byte(key)))
		}
	}

	var bulk struct {
		Header struct {
			Configs    map[string]interface{}
			Migrations []struct {
				From, To string
				Moved    int
			}
		}
		Rows [][]interface{}
	}
	read(tt, "h_native_bulk.json", &bulk)
	keys := make([]uint64, 100000)
	for i := range keys {
		keys[i] = XXH3([]byte("key-" + strconv.Itoa(i)))
	}
	for _, row := range bulk.Rows {
		name := row[0].(string)
		load, some := row[1].([]interface{})
		config, listed := bulk.Header.Configs[name].([]interface{})
		counts := map[string]float64{}
		owners := make([]string, len(keys))
		for i, position := range keys {
			owners[i] = rings[name].OwnerAt(position)
			counts[owners[i]]++
		}
		sum := sha256.Sum256([]byte(strings.Join(owners, "\n")))
		t.same("owners in "+name, row[4], hex.EncodeToString(sum[:]))
		if !some || !listed {
			continue
		}
		for i, pair := range config {
			t.same("load of "+name, load[i], counts[pair.([]interface{})[0].(string)])
		}
	}
	for _, move := range bulk.Header.Migrations {
		moved := 0
		for _, position := range keys {
			if rings[move.From].OwnerAt(position) != rings[move.To].OwnerAt(position) {
				moved++
			}
		}
		t.same("moved", move.Moved, moved)
	}

	var synthetic struct {
		Header struct{ Rings map[string][][]string }
		Rows   [][]interface{}
	}
	read(tt, "h_native_synthetic.json", &synthetic)
	for _, row := range synthetic.Rows {
		var points []Point
		for _, pair := range synthetic.Header.Rings[row[0].(string)] {
			token, _ := strconv.ParseUint(pair[0], 16, 64)
			points = append(points, Point{token, pair[1]})
		}
		position, _ := strconv.ParseUint(row[1].(string), 16, 64)
		ring := New(points, false)
		t.same(fmt.Sprint(row), row[2], ring.OwnerAt(position))
		t.same(fmt.Sprint(row), texts(row[3]), ring.OwnersAt(position, 3))
	}

	var tokens struct{ Rows [][]string }
	read(tt, "h_native_tokens_C3.json", &tokens)
	for i, row := range tokens.Rows {
		point := rings["C3_v150"].Points[i]
		t.same("point", row, []string{fmt.Sprintf("%016x", point.Token), point.ID})
	}

	for key, expected := range map[string]string{"foo{{bar}}zap": "{bar", "foo{}{bar}": "foo{}{bar}", "a{b}c": "b",
		"": "", "}{x}": "x", "{x": "{x"} {
		t.same("tag of "+key, expected, string(Tagged([]byte(key))))
	}
	stated, err := Parse([]byte(`{"nodes":[{"id":"cache-b","vnodes":47},{"id":"cache-a","weight":1},{"id":"off","weight":0}]}`))
	if err != nil {
		t.Fatal(err)
	}
	t.same("fingerprint", "69996475153c41b569d4ddc710a88b57", stated.Fingerprint())
	var shared struct {
		Good []struct {
			Topology    json.RawMessage
			Fingerprint string
			Owners      map[string]string
		}
		Bad []json.RawMessage
	}
	text, err := os.ReadFile("../vectors.json")
	if err == nil {
		err = json.Unmarshal(text, &shared)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range shared.Good {
		ring, err := Parse(each.Topology)
		if err != nil {
			t.Fatal(err)
		}
		t.same("fingerprint", each.Fingerprint, ring.Fingerprint())
		for key, owner := range each.Owners {
			t.same("owner of "+key, owner, ring.Owner([]byte(key)))
		}
	}
	for _, each := range shared.Bad {
		_, err := Parse(each)
		t.same("refusal of "+string(each), true, err != nil)
	}
	fmt.Printf("%d figures looked at\n", t.looked)
}
