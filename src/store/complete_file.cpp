// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "complete_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace prismllm::store {
namespace {

constexpr std::size_t probe_bytes = std::size_t{1} << 20;

/// @return errno, 0 when everything was written.
int write_all(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        } else if (written == 0) {
            return ENOSPC;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

}  // namespace

std::string growth_problem(const std::filesystem::path& path) {
    // Another process may have noticed too and removed the file already: a new one tells as much.
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) {
        return {};
    }
    const std::vector<std::byte> zeros(probe_bytes);
    int error = write_all(file, zeros);
    if (::close(file) != 0 && error == 0) {
        error = errno;
    }
    return error == 0 ? std::string{} : std::strerror(error);
}

Error write_error(const std::filesystem::path& path, std::string_view reason) {
    // Texts of ENOSPC, EDQUOT and EFBIG, then those of MPI-IO.
    constexpr std::array<std::string_view, 5> no_room{"No space left", "quota", "File too large",
                                                      "MPI_ERR_NO_SPACE", "MPI_ERR_QUOTA"};
    for (const auto text : no_room) {
        if (reason.find(text) != std::string_view::npos) {
            return Error{ErrorCode::resources,
                         fmt::format("cannot write '{}' ({}). Free some space there or choose "
                                     "another place for the output",
                                     path.string(), reason)};
        }
    }
    return Error{ErrorCode::system,
                 fmt::format("cannot write '{}' ({}). Check that its directory exists and may be "
                             "written to",
                             path.string(), reason)};
}

std::int64_t UnfinishedFile::new_mark() {
    return static_cast<std::int64_t>(std::random_device{}());
}

UnfinishedFile::UnfinishedFile(std::filesystem::path path, std::int64_t mark)
    : path_{std::move(path)}, temporary_{fmt::format("{}.{:08x}.tmp", path_.string(), mark)} {}

UnfinishedFile::~UnfinishedFile() {
    discard();
}

void UnfinishedFile::discard() {
    if (std::exchange(pending_, false)) {
        (void)::unlink(temporary_.c_str());
    }
}

Status UnfinishedFile::write(std::span<const std::byte> bytes) {
    std::error_code ignored;
    const auto kind = std::filesystem::status(path_, ignored).type();
    if (kind == std::filesystem::file_type::directory) {
        return tl::unexpected{write_error(path_, std::strerror(EISDIR))};
    }
    // Taking the name of a device, say /dev/null, would harm the machine.
    if (std::filesystem::exists(path_, ignored) && kind != std::filesystem::file_type::regular) {
        return fail(ErrorCode::system,
                    "cannot write '{}' (it is not a regular file). Choose another place for the "
                    "output",
                    path_.string());
    }
    const int file = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        return tl::unexpected{write_error(path_, std::strerror(errno))};
    }
    pending_ = true;
    int error = write_all(file, bytes);
    // Network file systems report a full disk only here.
    if (::close(file) != 0 && error == 0) {
        error = errno;
    }
    if (error != 0) {
        discard();
        return tl::unexpected{write_error(path_, std::strerror(error))};
    }
    return {};
}

Status UnfinishedFile::commit() {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int error = errno;
        discard();
        return tl::unexpected{write_error(path_, std::strerror(error))};
    }
    pending_ = false;
    return {};
}

}  // namespace prismllm::store
