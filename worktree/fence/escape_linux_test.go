package fence_test

import (
	"fmt"
	"hash/crc32"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"git-flower/worktree/fence"
	"git-flower/worktree/process"
)

func TestMain(m *testing.M) {
	fence.Main()
	os.Exit(m.Run())
}

// What holds an attempt off.
const (
	byLandlock = 1 << iota
	byNamespaces
	byBoth = byLandlock | byNamespaces // each alone
	byNone = 0                         // nothing here; doctor says so
)

// An attempt tries to reach out of $IN: into $OUT, which can be seen, $HOME, or
// the process $VICTIM. It got through when something outside is another than
// before, or when it could write 'got'.
type attempt struct {
	name   string
	held   int
	script string
	needs  string // programs, with blanks between
}

// Numbers of system calls are those of x86-64.
var attempts = []attempt{
	{"write", byBoth, `echo x >"$OUT/file"`, ""},
	{"append", byBoth, `echo x >>"$OUT/file"`, ""},
	{"create", byBoth, `: >"$OUT/new"`, ""},
	{"truncate", byBoth, `perl -e 'truncate("$ENV{OUT}/file", 0)'`, "perl"},
	{"unlink", byBoth, `rm -f "$OUT/file"`, ""},
	{"rmdir", byBoth, `rmdir "$OUT/empty"`, ""},
	{"mkdir", byBoth, `mkdir "$OUT/new"`, ""},
	{"mkfifo", byBoth, `mkfifo "$OUT/new"`, ""},
	{"make a socket", byBoth, `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "$ENV{OUT}/new", Listen => 1)'`, "perl"},
	{"symbolic link outside", byBoth, `ln -s x "$OUT/new"`, ""},
	{"hard link outside", byBoth, `echo x >own; ln own "$OUT/new"`, ""},
	{"hard link inside, then write", byBoth, `ln "$OUT/file" mine && echo x >mine`, ""},
	{"rename over", byBoth, `echo x >own; perl -e 'rename("own", "$ENV{OUT}/file")'`, "perl"},
	{"rename away", byBoth, `perl -e 'rename("$ENV{OUT}/file", "stolen")'`, "perl"},
	{"exchange names", byBoth, `echo x >own; perl -e '$a = "own"; $b = "$ENV{OUT}/file"; syscall(316, -100, $a, -100, $b, 2)'`, "perl"},
	{"write through a symbolic link", byBoth, `ln -s "$OUT/file" l; echo x >l`, ""},
	{"write through a linked folder", byBoth, `ln -s "$OUT" l; echo x >l/new`, ""},
	{"swap a symbolic link in a race", byBoth, `
		mkdir own; : >own/file
		(n=0; while test $n -lt 200; do ln -sfn own l; ln -sfn "$OUT" l; n=$((n+1)); done) &
		n=0; while test $n -lt 200; do echo x >l/file; n=$((n+1)); done 2>/dev/null; wait; ln -sfn "$OUT" l; echo x >l/file`, ""},
	{"write by /proc/self/root", byBoth, `echo x >/proc/self/root"$OUT/file"`, ""},
	{"write by /proc/self/cwd", byBoth, `echo x >/proc/self/cwd/../out/file`, ""},
	{"write by a descriptor opened for reading", byBoth, `exec 5<"$OUT/file"; echo x >/proc/self/fd/5`, ""},
	{"dd", byBoth, `dd if=/dev/zero of="$OUT/file" bs=1 count=1 conv=notrunc`, ""},
	{"tee", byBoth, `echo x | tee "$OUT/file"`, ""},
	{"sed -i", byBoth, `sed -i s/a/b/ "$OUT/file"`, ""},
	{"cp", byBoth, `echo x >own; cp -f own "$OUT/file"`, ""},
	{"tar", byBoth, `echo x >file; tar cf - file | tar xf - -C "$OUT"`, "tar"},
	{"chmod", byNamespaces, `chmod 4777 "$OUT/file"`, ""},
	{"utimes", byNamespaces, `touch -d 2001-01-01 "$OUT/file"`, ""},
	{"extended attribute", byNamespaces, `perl -e '$f = "$ENV{OUT}/file"; $n = "user.x"; $v = "y"; exit(syscall(188, $f, $n, $v, 1, 0) != 0)' && echo x >got`, "perl"},
	{"file flags", byNamespaces, `chattr +d "$OUT/file" && echo x >got`, "chattr"},
	{"kill", byBoth, `kill -9 $VICTIM && echo x >got`, ""},
	{"stop", byBoth, `kill -STOP $VICTIM && echo x >got`, ""},
	{"signal by pidfd", byBoth, `perl -e '$p = syscall(434, $ENV{VICTIM}+0, 0); exit(!($p > 0 && syscall(424, $p, 18, 0, 0) == 0))' && echo x >got`, "perl"},
	{"renice", byNamespaces, `renice -n 5 -p $VICTIM && echo x >got`, "renice"},
	{"limit", byNamespaces, `perl -e '$l = pack("QQ", 0, 0); exit(syscall(302, $ENV{VICTIM}+0, 4, $l, 0) != 0)' && echo x >got`, "perl"},
	{"ptrace", byBoth, `perl -e 'exit(syscall(101, 16, $ENV{VICTIM}+0, 0, 0) != 0)' && echo x >got`, "perl"},
	{"memory of a process", byBoth, `perl -e 'open(my $m, "+<", "/proc/$ENV{VICTIM}/mem") or exit 1' && echo x >got`, "perl"},
	{"process_vm_readv", byBoth, `perl -e '
		($a) = grep { /stack/ } do { open my $f, "<", "/proc/$ENV{VICTIM}/maps" or exit 1; <$f> }; $a =~ /^([0-9a-f]+)/;
		$b = "x" x 8; $l = pack("pQ", $b, 8); $r = pack("QQ", hex($1), 8); exit(syscall(310, $ENV{VICTIM}+0, $l, 1, $r, 1, 0) < 1)' && echo x >got`, "perl"},
	{"descriptor of a process", byBoth, `perl -e '$p = syscall(434, $ENV{VICTIM}+0, 0); exit(!($p > 0 && syscall(438, $p, 0, 0) > 0))' && echo x >got`, "perl"},
	{"environment of a process", byNamespaces, `grep -q x /proc/$VICTIM/environ && echo x >got`, ""},
	{"write by the folder of a process", byBoth, `echo x >/proc/$VICTIM/cwd/file`, ""},
	{"see a process", byNamespaces, `test -d /proc/$VICTIM && echo x >got`, ""},
	{"pathname socket", byNamespaces, `perl -MIO::Socket::UNIX -e 'exit !IO::Socket::UNIX->new("$ENV{W}/run/socket")' && echo x >got`, "perl"},
	{"abstract socket", byLandlock, `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); exit !connect(S, pack("Sxa*", AF_UNIX, $ENV{ABSTRACT}))' && echo x >got`, "perl"},
	{"TCP", byLandlock, `perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $ENV{PORT})' && echo x >got`, "perl"},
	{"UDP", byNone, `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $ENV{UDP}, Proto => "udp"); exit !$s->send("x")' && echo x >got`, "perl"},
	{"mount", byBoth, `perl -e '$n = "none"; $t = "tmpfs"; $o = $ENV{OUT}; exit(syscall(272, 0x10020000) != 0 || syscall(165, $n, $o, $t, 0, 0) != 0)' && echo x >got`, "perl"},
	{"nested user namespace", byNamespaces, `unshare -U true && echo x >got`, "unshare"},
	{"preloaded library", byBoth, `echo '#include <stdio.h>
		__attribute__((constructor)) void f(void) { fclose(fopen(OUT "/new", "w")); }' >l.c && cc -shared -fPIC -DOUT="\"$OUT\"" -o l.so l.c && LD_PRELOAD=./l.so cat /dev/null`, "cc"},
	{"program in memory", byBoth, `perl -e '$n = "m"; $f = syscall(319, $n, 0); open(my $o, ">&=", $f); open(my $i, "<", "/bin/sh"); local $/; syswrite($o, <$i>);
		exec {"/proc/self/fd/$f"} "sh", "-c", "echo x >\"\$OUT/file\""'`, "perl"},
	{"io_uring", byBoth, `cc -o ring "$RING" && ./ring "$OUT/new"`, "cc"},
	{"background", byBoth, `{ echo x >"$OUT/file"; } & wait`, ""},
	{"session of its own", byBoth, `setsid -w sh -c 'echo x >"$OUT/file"'`, "setsid"},
	{"double fork", byBoth, `mkfifo done; ( (echo x >"$OUT/file"; echo >done) & ); cat done`, ""},
	{"outlive the command", byNamespaces, `mkfifo fifo ready; perl -MPOSIX -e 'exit if fork; POSIX::setsid(); exit if fork; exec "env", "-i", "sh", "-c", "exec 3<>fifo; echo \$\$ >pid; echo >ready; exec /bin/sleep 1000"'; cat ready`, "perl"},
	{"git hook of the host", byBoth, `printf '#!/bin/sh\n' >"$OUT/repo/.git/hooks/post-checkout"`, ""},
	{"git configuration of the host", byBoth, `git config -f "$OUT/repo/.git/config" core.fsmonitor ./x`, ""},
	{"global alias", byBoth, `git config --global alias.status '!x'`, ""},
	{"global configuration", byBoth, `echo x >>"$HOME/.gitconfig"`, ""},
	{"GIT_DIR", byBoth, `GIT_DIR="$OUT/repo/.git" git -c user.name=x -c user.email=x commit -q --allow-empty -m x`, ""},
	{"GIT_DIR, a ref", byBoth, `GIT_DIR="$OUT/repo/.git" git update-ref -d refs/heads/main`, ""},
	{"GIT_INDEX_FILE", byBoth, `GIT_DIR="$OUT/repo/.git" GIT_INDEX_FILE="$OUT/repo/.git/index" git update-index --force-remove a`, ""},
	{"GIT_OBJECT_DIRECTORY", byBoth, `git init -q . && echo x | GIT_OBJECT_DIRECTORY="$OUT/repo/.git/objects" git hash-object -w --stdin`, ""},
	{"git worktree", byBoth, `git -C "$OUT/repo" worktree add -q "$IN/wt"`, ""},
	{"git push", byBoth, `git -C "$OUT/repo" push -q . HEAD:refs/heads/evil`, ""},
	{"git submodule", byBoth, `git -C "$OUT/repo" -c protocol.file.allow=always submodule -q add "$OUT/repo" sub`, ""},
	{"git gc", byBoth, `git -C "$OUT/repo" gc -q`, ""},
	{"read a key", byNamespaces, `grep -q secret "$HOME/.ssh/id" && echo x >got`, ""},
	{"read another's files", byNamespaces, `test -s "$W/other/file" && echo x >got`, ""},
	{"write to another's files", byBoth, `echo x >"$W/other/file"`, ""},
	{"shared memory of a name", byBoth, `echo x >>"/dev/shm/$SHM"`, ""},
	{"shared memory of System V", byNamespaces, `perl -e '$id = shmget($ENV{KEY}, 8, 0); exit !(defined $id && shmwrite($id, "x", 0, 1))' && echo x >got`, "perl"},
}

func TestEscapes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs side by side")
	}
	all := fence.Probe(t.Context())
	if !all.Any() {
		t.Skip("nothing holds here")
	}
	legs := []struct {
		name  string
		means fence.Means
		holds int
	}{
		{"no fence", fence.Means{}, byNone},
		{"Landlock", fence.Means{Landlock: all.Landlock}, byLandlock},
		{"namespaces", fence.Means{Namespaces: all.Namespaces}, byNamespaces},
		{"both", all, byBoth},
	}
	for _, leg := range legs {
		if leg.name != "no fence" && !leg.means.Any() || leg.name == "both" && !all.Full() {
			t.Logf("not tried: %s", leg.name)
			continue
		}
		t.Run(leg.name, func(t *testing.T) {
			for _, a := range attempts {
				t.Run(a.name, func(t *testing.T) {
					t.Parallel()
					try(t, a, leg.means, a.held&leg.holds != 0)
				})
			}
		})
	}
	t.Logf("%d attempts", len(attempts))
}

func try(t *testing.T, a attempt, m fence.Means, denied bool) {
	for _, program := range strings.Fields(a.needs) {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs ", program)
		}
	}
	w := newWorld(t)
	before := w.look()
	p := w.policy(m)
	r, err := process.Run(t.Context(), process.Command{Script: a.script, Dir: w.in, Env: w.env, Fence: &p})
	if err != nil {
		t.Fatal(err)
	}
	after, got := w.look(), w.got()
	if through := before != after || got; through == denied {
		t.Errorf("got through: %v; output: %s", through, r.Output)
		if before != after {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
	}
}

// A world has an inside, in which a command runs, and what must stay as it is.
type world struct {
	t      *testing.T
	top    string
	in     string
	env    []string
	victim *exec.Cmd
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, top: t.TempDir()}
	w.in = w.at("in")
	for _, dir := range []string{"in", "out/empty", "home/.ssh", "other", "run", "temp"} {
		must(t, os.MkdirAll(w.at(dir), 0o755))
	}
	for name, text := range map[string]string{
		"out/file": "aaa\n", "other/file": "other\n", "home/.ssh/id": "secret\n", "home/.gitconfig": "[user]\n\tname = a\n\temail = a\n",
		"ring.c": ringProgram,
	} {
		must(t, os.WriteFile(w.at(name), []byte(text), 0o644))
	}
	w.env = append(process.Env(), "HOME="+w.at("home"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+w.at("home/.gitconfig"),
		"W="+w.top, "IN="+w.in, "OUT="+w.at("out"), "RING="+w.at("ring.c"))
	w.run("sh", "-c", `git init -q -b main "$OUT/repo" && cd "$OUT/repo" && echo a >a && git add a && git commit -q -m a`)
	w.victim = exec.Command("sleep", "1000")
	w.victim.Dir = w.at("out")
	must(t, w.victim.Start())
	t.Cleanup(func() { w.victim.Process.Kill(); w.victim.Wait() })
	w.services()
	w.env = append(w.env, "VICTIM="+strconv.Itoa(w.victim.Process.Pid))
	return w
}

func (w *world) at(name string) string { return filepath.Join(w.top, name) }

func (w *world) run(name string, args ...string) {
	w.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// services are sockets that listen and memory that is shared, outside.
func (w *world) services() {
	abstract := "\x00" + filepath.Base(w.top) + strconv.Itoa(os.Getpid()) + strings.ReplaceAll(w.t.Name(), "/", "-")
	abstract = abstract[:min(len(abstract), 100)]
	for _, l := range [][2]string{{"unix", w.at("run/socket")}, {"unix", abstract}, {"tcp", "127.0.0.1:0"}} {
		s, err := net.Listen(l[0], l[1])
		if err != nil && len(l[1]) > 100 { // the test's name makes the path too long
			at, bad := os.MkdirTemp("/tmp", "s")
			must(w.t, bad)
			w.t.Cleanup(func() { os.RemoveAll(at) })
			must(w.t, os.Remove(w.at("run")))
			must(w.t, os.Symlink(at, w.at("run")))
			s, err = net.Listen("unix", filepath.Join(at, "socket"))
		}
		must(w.t, err)
		w.t.Cleanup(func() { s.Close() })
		if tcp, ok := s.Addr().(*net.TCPAddr); ok {
			w.env = append(w.env, "PORT="+strconv.Itoa(tcp.Port))
		}
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(w.t, err)
	w.t.Cleanup(func() { udp.Close() })
	shm, err := os.CreateTemp("/dev/shm", "fence")
	must(w.t, err)
	must(w.t, shm.Close())
	w.t.Cleanup(func() { os.Remove(shm.Name()) })
	id, err := unix.SysvShmGet(w.key(), 8, unix.IPC_CREAT|0o600)
	must(w.t, err)
	w.t.Cleanup(func() { unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	w.env = append(w.env, "ABSTRACT="+abstract, "UDP="+strconv.Itoa(udp.LocalAddr().(*net.UDPAddr).Port),
		"SHM="+filepath.Base(shm.Name()), "KEY="+strconv.Itoa(w.key()))
	for i, kv := range w.env { // a variable holds no NUL: the script adds it
		w.env[i] = strings.ReplaceAll(kv, "\x00", "")
	}
}

// key names shared memory that no other test has.
func (w *world) key() int { return int(crc32.ChecksumIEEE([]byte(w.top)) >> 1) }

func (w *world) policy(m fence.Means) fence.Policy {
	return fence.Policy{
		Means: m, Write: []string{w.in}, Temp: w.at("temp"), Home: w.at("home"), Hide: []string{w.at("home")},
		Read: []string{w.at("out"), w.at("ring.c"), w.at("home/.gitconfig")}, Ports: []uint16{1},
	}
}

// got reports whether the command said so, or left something that still runs.
func (w *world) got() bool {
	if _, err := os.Stat(w.at("in/got")); err == nil {
		return true
	}
	f, err := os.OpenFile(w.at("in/fifo"), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err == nil { // there is a reader
		f.Close()
		pid, bad := strconv.Atoi(strings.TrimSpace(w.read("in/pid")))
		must(w.t, bad)
		must(w.t, syscall.Kill(pid, syscall.SIGKILL))
	}
	return err == nil
}

func (w *world) read(name string) string {
	text, err := os.ReadFile(w.at(name))
	must(w.t, err)
	return string(text)
}

// look describes everything outside: names, modes, owners, times and contents.
func (w *world) look() string {
	var b strings.Builder
	for _, dir := range []string{"out", "other", "home"} {
		must(w.t, filepath.Walk(w.at(dir), func(path string, info os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			s := info.Sys().(*syscall.Stat_t)
			fmt.Fprintf(&b, "%s %v %d:%d %d %v", path, info.Mode(), s.Uid, s.Gid, s.Nlink, info.ModTime())
			if info.Mode().IsRegular() {
				text, err := os.ReadFile(path)
				must(w.t, err)
				fmt.Fprintf(&b, " %s", process.Digest(text))
			}
			b.WriteString("\n")
			return nil
		}))
	}
	for _, kv := range w.env {
		if name, ok := strings.CutPrefix(kv, "SHM="); ok {
			info, err := os.Stat(filepath.Join("/dev/shm", name))
			must(w.t, err)
			fmt.Fprintf(&b, "shared memory %d\n", info.Size())
		}
	}
	return b.String()
}

// With the rights that a namespace of its own would give it, a command could
// uncover what is hidden and write to what is read-only.
func TestMountsStay(t *testing.T) {
	all := fence.Probe(t.Context())
	for name, m := range map[string]fence.Means{"namespaces": {Namespaces: all.Namespaces}, "both": all} {
		if !m.Namespaces {
			t.Skip("no namespaces here: ", all.NoNamespaces)
		}
		w := newWorld(t)
		p := w.policy(m)
		script := `for call in '166, $p, 2' '165, $n, $p, $n, 0x1020, 0'; do for path in / /tmp /proc "$HOME" "$OUT" "$IN"; do
			P=$path perl -e '$p = $ENV{P}; $n = "none"; exit(syscall('"$call"') != 0)' && echo "$call on $path"; done; done; grep -E '^Cap|^NoNew' /proc/self/status`
		r, err := process.Run(t.Context(), process.Command{Script: script, Dir: w.in, Env: w.env, Fence: &p})
		must(t, err)
		want := "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\n"
		if r.Output != want {
			t.Errorf("%s: %s", name, r.Output)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ringProgram creates a file by io_uring alone.
const ringProgram = `
#include <fcntl.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
	struct io_uring_params p;
	memset(&p, 0, sizeof p);
	int fd = syscall(SYS_io_uring_setup, 4, &p);
	if (fd < 0) return 1;
	char *sq = mmap(0, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	struct io_uring_sqe *e = mmap(0, p.sq_entries * sizeof *e, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || (void *)e == MAP_FAILED) return 2;
	memset(e, 0, sizeof *e);
	e->opcode = IORING_OP_OPENAT;
	e->fd = AT_FDCWD;
	e->addr = (unsigned long)argv[1];
	e->len = 0644;
	e->open_flags = O_CREAT | O_WRONLY;
	((unsigned *)(sq + p.sq_off.array))[0] = 0;
	*(unsigned *)(sq + p.sq_off.tail) = 1;
	return syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, 0, 0) != 1;
}
`
