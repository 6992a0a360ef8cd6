package fence

import (
	"os"
	"path/filepath"
	"strings"
)

// A lookup is os.LookupEnv or like it.
type lookup = func(string) (string, bool)

// ForUser is the policy that all commands for a user share: the home directory
// is hidden, but for git's configuration and the programs in it.
func ForUser(m Means, env lookup) Policy {
	p := Policy{Means: m}
	home, ok := env("HOME")
	if !ok || !filepath.IsAbs(home) || filepath.Clean(home) == "/" {
		return p
	}
	p.Home, p.Hide = home, []string{home}
	for _, name := range homeParts {
		p.Read = append(p.Read, filepath.Join(home, name))
	}
	if file, ok := env("GIT_CONFIG_GLOBAL"); ok && filepath.IsAbs(file) {
		p.Read = append(p.Read, file)
	}
	if dir, ok := env("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		p.Read = append(p.Read, filepath.Join(dir, "git"))
	}
	path, _ := env("PATH")
	p.Read = append(p.Read, programs(home, filepath.SplitList(path))...)
	for _, name := range toolVariables {
		if dir, ok := env(name); ok && filepath.IsAbs(dir) && dir != home && below(dir, home) {
			p.Read = append(p.Read, dir)
		}
	}
	return p
}

// homeParts are the files and folders of a home directory that programs need
// and that are no place for keys.
var homeParts = []string{
	".gitconfig", ".config/git",
	".local/bin", ".local/lib", ".local/pipx", ".local/share/pipx", ".local/share/uv/python", ".local/share/uv/tools", ".local/share/mise/installs", ".local/share/mise/shims", ".local/share/fnm",
	".cargo/bin", ".cargo/config.toml", ".cargo/config", ".rustup", "go/bin", "go/pkg/mod", "sdk",
	".nvm", ".volta", ".fnm", ".nodenv", ".bun/bin", ".deno/bin", ".npm-global", ".asdf", ".tool-versions",
	".pyenv", ".conda", "miniconda3", "anaconda3", "miniforge3", ".rbenv", ".rvm", ".gem/ruby", ".sdkman", ".jenv",
	".dotnet", ".ghcup", ".cabal/bin", ".stack/programs", ".opam", ".elan", ".juliaup", ".nix-profile", ".local/state/nix",
	".config/go/env",
}

// toolVariables name folders of programs that may be anywhere.
var toolVariables = []string{"GOROOT", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "VOLTA_HOME", "ASDF_DATA_DIR"}

// programs are the folders of PATH below home. What lies in a folder called bin
// or shims needs what lies beside it, unless that is the home directory itself,
// or one of its hidden folders, in which there may be keys.
func programs(home string, path []string) []string {
	home = filepath.Clean(home)
	var dirs []string
	for _, dir := range path {
		dir = filepath.Clean(dir)
		if dir == home || !below(dir, home) {
			continue
		}
		top := filepath.Dir(dir)
		private := top == home || filepath.Dir(top) == home && (strings.HasPrefix(filepath.Base(top), ".") || filepath.Base(top) == "go")
		if base := filepath.Base(dir); (base == "bin" || base == "shims") && !private {
			dir = top
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// CacheEnv is the environment in which build tools keep their caches below dir,
// so that the user's own are read at most. env tells where those are.
func CacheEnv(dir string, env lookup) []string {
	all := []string{
		"XDG_CACHE_HOME=" + filepath.Join(dir, "xdg"),
		"GOCACHE=" + filepath.Join(dir, "go-build"), "GOMODCACHE=" + filepath.Join(dir, "go-mod"),
		"npm_config_cache=" + filepath.Join(dir, "npm"), "npm_config_update_notifier=false", "YARN_CACHE_FOLDER=" + filepath.Join(dir, "yarn"),
		"CARGO_HOME=" + filepath.Join(dir, "cargo"), "PIP_CACHE_DIR=" + filepath.Join(dir, "pip"), "UV_CACHE_DIR=" + filepath.Join(dir, "uv"),
		"GRADLE_USER_HOME=" + filepath.Join(dir, "gradle"), "NUGET_PACKAGES=" + filepath.Join(dir, "nuget"), "BUNDLE_USER_HOME=" + filepath.Join(dir, "bundle"),
		"DENO_DIR=" + filepath.Join(dir, "deno"), "CCACHE_DIR=" + filepath.Join(dir, "ccache"),
	}
	if proxy := goProxy(env); proxy != "" {
		all = append(all, "GOPROXY="+proxy)
	}
	return all
}

// goProxy has modules taken from the user's module cache, which go verifies, and
// where they are not there from where the user has them from.
func goProxy(env lookup) string {
	cache, _ := env("GOMODCACHE")
	if cache == "" {
		path, _ := env("GOPATH")
		if home, ok := env("HOME"); path == "" && ok {
			path = filepath.Join(home, "go")
		}
		cache = filepath.Join(strings.Split(path, string(filepath.ListSeparator))[0], "pkg", "mod")
	}
	downloads := filepath.Join(cache, "cache", "download")
	if info, err := os.Stat(downloads); err != nil || !info.IsDir() {
		return ""
	}
	return "file://" + filepath.ToSlash(downloads) + "," + usersProxy(env)
}

// usersProxy is what go would ask: the environment's, else that of 'go env -w',
// else its own.
func usersProxy(env lookup) string {
	if proxy, _ := env("GOPROXY"); proxy != "" {
		return proxy
	}
	config, _ := env("XDG_CONFIG_HOME")
	if home, ok := env("HOME"); config == "" && ok {
		config = filepath.Join(home, ".config")
	}
	text, _ := os.ReadFile(filepath.Join(config, "go", "env"))
	for line := range strings.Lines(string(text)) {
		if proxy, ok := strings.CutPrefix(strings.TrimSpace(line), "GOPROXY="); ok && proxy != "" {
			return proxy
		}
	}
	return "https://proxy.golang.org,direct"
}

// MakeCaches makes the folders of CacheEnv below dir, with the user's settings
// for cargo, which looks for them beside its cache.
func MakeCaches(dir string, env lookup) error {
	cargo := filepath.Join(dir, "cargo")
	for _, d := range []string{dir, cargo, filepath.Join(dir, "xdg")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	from, _ := env("CARGO_HOME")
	if home, ok := env("HOME"); from == "" && ok {
		from = filepath.Join(home, ".cargo")
	}
	for _, name := range []string{"config.toml", "config"} {
		if _, err := os.Stat(filepath.Join(from, name)); err == nil {
			os.Symlink(filepath.Join(from, name), filepath.Join(cargo, name)) // there already, or done without
		}
	}
	return nil
}
